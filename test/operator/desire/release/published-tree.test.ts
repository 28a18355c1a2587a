import { describe, expect, test } from "vitest";
import { prepareManifests } from "../../../../operator/desire/release/prepare-manifests.ts";
import { publishedTree } from "../../../../operator/desire/release/published-tree.ts";
import { aCatalog, aCommit, aRelease, aSourceManifest, asRendered } from "../../../fakes/releases.ts";

const release = aRelease({ spec: { target: { namespace: "prod" } } });
const prepared = prepareManifests(
  asRendered([
    aSourceManifest("v1", "ConfigMap", "web", { fields: { data: { a: "b" } } }),
    aSourceManifest("v1", "Secret", "web", { fields: { stringData: { password: "hunter2" } } }),
    aSourceManifest("v1", "Service", "web", { namespace: "other" }),
    aSourceManifest("v1", "Namespace", "prod"),
  ]),
  release,
  aCatalog(),
);

describe("publishedTree()", () => {
  test("has the layout of every resource's files: without a folder for the target namespace, stamps and Secret values", () => {
    const tree = publishedTree({ release, prepared, rendered: {}, commit: aCommit("a") });
    const files = tree.render();
    expect(tree.folder).toBe("shop/releases.fairlead.dev/web");
    expect(tree.digest).toBe(prepared.digest);
    expect([...files.keys()].sort()).toEqual([
      "configmap-web.yaml",
      "namespace-prod.yaml",
      "other/service-web.yaml",
      "secret-web.yaml",
    ]);
    expect(files.get("configmap-web.yaml")).toBe(
      "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: prod\n",
    );
    const text = [...files.values()].join();
    expect(text).not.toMatch(/fairlead\.dev\/(set|digest|owner)|applyset|hunter2/);
  });

  test("names its source in trailers", () => {
    const rendered = { programDigest: "p1", inputsDigest: "i1" };
    expect(publishedTree({ release, prepared, rendered, commit: aCommit("a") }).trailers).toEqual([
      `Fairlead-Source: ${"a".repeat(40)}`,
      "Fairlead-Program: p1",
      "Fairlead-Inputs: i1",
    ]);
    expect(publishedTree({ release, prepared, rendered: {}, commit: aCommit("a") }).trailers).toHaveLength(1);
  });
});
