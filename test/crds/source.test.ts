import { describe, expect, test } from "vitest";
import { Release } from "../../crds/release.ts";
import { refOf } from "../../crds/source.ts";

const url = "https://git.example.dev/shop.git";
const tag = "v1";
const [pipeline, stage] = ["shop", "prod"] as const;

describe("refOf()", () => {
  test.for([
    [undefined, { branch: "main" }],
    [{}, { branch: "main" }],
    [{ branch: "next" }, { branch: "next" }],
    [{ tag }, { tag }],
    // As `kubectl apply` leaves it if an earlier version stored its default.
    [{ branch: "main", tag }, { tag }],
    [{ branch: "main", tag: undefined }, { branch: "main" }],
    [
      { pipeline, stage },
      { pipeline, stage },
    ],
    [
      { branch: "main", pipeline, stage },
      { pipeline, stage },
    ],
  ] as const)("%j is %j", ([ref, is]) => {
    expect(refOf({ ref })).toEqual(is);
  });
});

describe("spec.source.ref", () => {
  test.for([
    [undefined, true],
    [{ branch: "main" }, true],
    [{ branch: "main", tag }, true],
    [{ branch: "next", tag }, false],
    [{ tag, semver: "1.x" }, false],
    [{ branch: "main", tag, semver: "1.x" }, false],
    [{}, false],
    [{ pipeline, stage }, true],
    [{ pipeline, stage, namespace: "platform" }, true],
    [{ branch: "main", pipeline, stage }, true],
    [{ pipeline }, false],
    [{ stage }, false],
    [{ tag, stage }, false],
    [{ tag, namespace: "platform" }, false],
    [{ tag, pipeline, stage }, false],
    // Permissions on stages are named pipeline.stage.
    [{ pipeline, stage: "prod.eu" }, false],
  ] as const)("%j is valid: %s", ([ref, isValid]) => {
    const spec = { source: { url, ...(ref && { ref }) }, render: { manifests: {} } };
    const { success, data } = Release.spec.safeParse(spec);
    expect(success).toBe(isValid);
    // No default is filled in.
    if (isValid) expect(data?.source.ref).toEqual(ref);
  });
});
