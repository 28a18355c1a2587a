import { describe, expect, test } from "vitest";
import { readReleases } from "../../../cli/release/release-file.ts";

const options = { file: "web.yaml", namespace: "shop" };
const release = `apiVersion: fairlead.dev/v1alpha1
kind: Release
metadata: { name: web }
spec:
  source: { url: "https://git.example.com/shop/web.git" }
  render: { manifests: {} }
`;

describe("readReleases()", () => {
  test("returns Releases as the API server would store them", () => {
    const [web, other] =
      readReleases(`${release}---\n${release.replace("name: web", "name: other, namespace: x")}`, options) ??
      [];
    expect(web?.metadata).toMatchObject({ name: "web", namespace: "shop" });
    expect(web?.spec).toMatchObject({ prune: true, interval: "1m", source: { path: "." } });
    expect(other?.metadata.namespace).toBe("x");
  });

  test("ignores other objects", () => {
    expect(readReleases("apiVersion: v1\nkind: ConfigMap\n", options)).toBeUndefined();
    expect(readReleases("", options)).toBeUndefined();
    expect(readReleases(`---\n${release}---\n`, options)).toHaveLength(1);
  });

  test.for([
    {
      what: "another object among Releases",
      text: `${release}---\nkind: ConfigMap\n`,
      why: /web.yaml, document 2: it is not a Release/,
    },
    {
      what: "a field that is not valid",
      text: release.replace("manifests: {}", "{}"),
      why: /document 1: spec.render/,
    },
    { what: "no name", text: release.replace("name: web", ""), why: /metadata.name: expected a name/ },
    {
      what: "another version",
      text: release.replace("v1alpha1", "v9"),
      why: /expected "fairlead.dev\/v1alpha1", found "fairlead.dev\/v9"/,
    },
  ])("names file, document and field for $what", ({ text, why }) => {
    expect(() => readReleases(text, options)).toThrow(why);
  });
});
