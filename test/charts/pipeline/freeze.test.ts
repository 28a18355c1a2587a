import { describe, expect, test } from "vitest";
import { assessFreezes } from "../../../charts/pipeline/freeze.ts";
import type { FreezeSpec } from "../../../crds/freeze.ts";
import { aClock } from "./wall-clock.ts";

const now = "2026-11-23T10:00:00Z";
const pipeline = { metadata: { name: "shop", labels: { tier: "web" } } };

const aFreeze = (name: string, spec: Partial<FreezeSpec> = {}) => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Freeze",
  metadata: { name },
  spec: { reason: "sale", ...spec },
});

function assess(...freezes: readonly ReturnType<typeof aFreeze>[]) {
  const clock = aClock(now);
  return { ...assessFreezes({ pipeline, stage: "prod", freezes, clock }), asked: clock.asked };
}

describe("assessFreezes()", () => {
  test("returns nothing without a Freeze", () => {
    expect(assess()).toEqual({ holding: [], message: "no Freeze applies", asked: [] });
  });

  test.for([
    ["every Pipeline and stage", {}, true],
    ["the Pipeline by name", { pipelines: { names: ["other", "shop"] } }, true],
    ["another Pipeline", { pipelines: { names: ["other"] } }, false],
    ["the Pipeline by its label", { pipelines: { matchLabels: { tier: "web" } } }, true],
    ["another label", { pipelines: { matchLabels: { tier: "batch" } } }, false],
    ["a label and another name", { pipelines: { names: ["other"], matchLabels: { tier: "web" } } }, false],
    ["the stage", { stages: ["staging", "prod"] }, true],
    ["another stage", { stages: ["staging"] }, false],
  ] as const)("selects %s", ([, spec, holds]) => {
    expect(assess(aFreeze("sale", spec as Partial<FreezeSpec>)).holding).toHaveLength(holds ? 1 : 0);
  });

  test("ends at its instant, for which it uses the clock", () => {
    expect(assess(aFreeze("over", { until: now })).holding).toEqual([]);
    const until = "2026-11-30T12:00:00+02:00";
    expect(assess(aFreeze("sale", { until, by: "ada" }))).toEqual({
      holding: [{ name: "sale", reason: "sale", by: "ada", until }],
      until,
      message: `frozen by Freeze sale of ada until ${until}: sale`,
      asked: ["2026-11-30T10:00:00Z"],
    });
  });

  test("does not use the clock for a Freeze of another stage", () => {
    expect(assess(aFreeze("sale", { until: "2026-11-30T00:00:00Z", stages: ["staging"] })).asked).toEqual([]);
  });

  test("ends with the last of several, or never if one has no end", () => {
    const early = aFreeze("b", { until: "2026-11-24T23:30:00-02:00" });
    const late = aFreeze("a", { until: "2026-11-25T02:00:00Z" });
    expect(assess(early, late)).toMatchObject({
      holding: [{ name: "a" }, { name: "b" }],
      until: "2026-11-25T02:00:00Z",
    });
    const state = assess(early, aFreeze("c"));
    expect(state.until).toBeUndefined();
    expect(state.message).toContain("frozen by Freeze c until it is deleted: sale");
  });

  test("applies if this version cannot read it", () => {
    const empty = [{ stages: [] }, { pipelines: { names: [] } }];
    for (const spec of [{ until: "tomorrow" }, { reason: 7 }, { stages: "prod" }, ...empty]) {
      const state = assess(aFreeze("odd", spec as unknown as Partial<FreezeSpec>));
      expect(state).toMatchObject({
        holding: [{ name: "odd", reason: "this version of the operator cannot read it" }],
      });
      expect(state.until).toBeUndefined();
    }
  });
});
