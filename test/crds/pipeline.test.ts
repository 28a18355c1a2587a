import { describe, expect, test } from "vitest";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import { Promotion } from "../../crds/promotion.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";

const stage = (more: object = {}) => ({ name: "dev", releases: [{ name: "shop" }], ...more });
const spec = (...stages: object[]) => ({ source: { url: "https://git.example.dev/shop" }, stages });
const job = { spec: { template: { spec: { containers: [] } } } };

describe("a Pipeline", () => {
  test("has a definition that the API server accepts", () => {
    const { versions } = customResourceDefinitionOf(Pipeline).spec;
    expect(JSON.stringify(versions)).toContain('"x-kubernetes-list-map-keys":["name"]');
  });

  test.for<{ is: string; stage: object }>([
    { is: "a batch as a number", stage: stage({ batch: 2 }) },
    { is: "a batch as a percentage", stage: stage({ batch: "20%" }) },
    {
      is: "a soak, a timeout and Jobs",
      stage: stage({ pass: { soak: "10m", timeout: "2h", verify: [{ name: "e2e", template: job }] } }),
    },
    { is: "approvals", stage: stage({ enter: { approvals: { count: 2, groups: ["ops"] } } }) },
    {
      is: "a window",
      stage: stage({ enter: { windows: [{ deny: { cron: "0 0 * * *", duration: "8h" } }] } }),
    },
    { is: "no Releases", stage: { name: "dev" } },
  ])("may have a stage with $is", ({ stage: one }) => {
    expect(Pipeline.spec.safeParse(spec(one)).error).toBeUndefined();
  });

  test.for<{ is: string; stage: object }>([
    { is: "a dot in its name", stage: stage({ name: "shop.dev" }) },
    { is: "a batch of nothing", stage: stage({ batch: "0%" }) },
    { is: "a soak that is no time", stage: stage({ pass: { soak: "soon" } }) },
    {
      is: "a window that both allows and denies",
      stage: stage({ enter: { windows: [{ allow: {}, deny: {} }] } }),
    },
    { is: "another reaction to failures", stage: stage({ onFailure: "Ignore" }) },
  ])("may not have a stage with $is", ({ stage: one }) => {
    expect(Pipeline.spec.safeParse(spec(one)).success).toBe(false);
  });
});

describe("a Promotion", () => {
  const promotion = { pipeline: "shop", stage: "prod", revision: "a".repeat(40) };

  test("cannot be changed", () => {
    const { versions } = customResourceDefinitionOf(Promotion).spec;
    expect(JSON.stringify(versions)).toContain('"rule":"self == oldSelf"');
  });

  test("skips gates only with a name and a reason", () => {
    const bypass = { bypass: ["Order"] };
    expect(Promotion.spec.safeParse(promotion).success).toBe(true);
    expect(Promotion.spec.safeParse({ ...promotion, ...bypass, by: "ann" }).success).toBe(false);
    expect(Promotion.spec.safeParse({ ...promotion, ...bypass, reason: "down" }).success).toBe(false);
    expect(Promotion.spec.safeParse({ ...promotion, ...bypass, by: "ann", reason: "down" }).success).toBe(
      true,
    );
  });
});

describe("stageDigestOf()", () => {
  const [a, b] = [
    { name: "a", namespace: "x", digest: "1" },
    { name: "b", namespace: "x", digest: "2" },
  ] as const;

  test("does not depend on the order of the Releases", () => {
    expect(stageDigestOf([a, b])).toBe(stageDigestOf([b, a]));
    expect(stageDigestOf([a, b])).toMatch(/^[0-9a-f]{32}$/);
  });

  test("differs for another Release, namespace or digest", () => {
    const others = [[a], [{ ...a, name: "c" }, b], [{ ...a, namespace: "y" }, b], [{ ...a, digest: "2" }, b]];
    const digests = [[a, b], ...others].map(stageDigestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });
});
