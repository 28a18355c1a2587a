import { describe, expect, test } from "vitest";
import { choosePromotion, chooseRollback } from "../../../cli/pipeline/choose-promotion.ts";
import type { StoredObject } from "../../../cli/release/api-client.ts";
import { aPipeline, newer, older, prodDigest } from "./a-pipeline.ts";

describe("choosePromotion()", () => {
  test("is the commit that the stage starts next, or one in the Pipeline's status, or any by its full id", () => {
    expect(choosePromotion(aPipeline(), "prod", undefined)).toEqual({
      revision: newer,
      digest: prodDigest(newer),
    });
    expect(choosePromotion(aPipeline(), "prod", "111111")).toEqual({ revision: older });
    expect(choosePromotion(aPipeline(), "prod", "9".repeat(40))).toEqual({ revision: "9".repeat(40) });
  });

  test("refuses an unknown or ambiguous commit, and an unknown stage", () => {
    expect(() => choosePromotion(aPipeline(), "prod", "999")).toThrow(
      'Cannot promote to "999": Pipeline shop/shop has no such commit in its status; use the full id',
    );
    expect(() => choosePromotion(aPipeline(), "prod", "")).toThrow(/has several such commits in its status/);
    const { status, ...plain } = aPipeline();
    const one = { ...plain, status: { ...status, candidates: (status?.candidates ?? []).slice(1) } };
    for (const revision of ["", "222"])
      expect(() => choosePromotion(one as typeof plain, "prod", revision)).toThrow(
        `Cannot promote to "${revision}": use at least 4 digits of the commit's id`,
      );
    expect(() => choosePromotion(aPipeline(), "production", older)).toThrow(/there are dev, prod/);
  });
});

describe("chooseRollback()", () => {
  const [running, before, first] = ["3".repeat(40), newer, older];
  const aPromotion = (revision: string, passedAt: string | undefined, spec: object = {}): StoredObject => ({
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Promotion",
    metadata: { name: `to-${revision.slice(0, 4)}`, uid: revision },
    spec: { pipeline: "shop", stage: "prod", revision, digest: revision.slice(0, 32), ...spec },
    status: { phase: passedAt === undefined ? "Failed" : "Passed", ...(passedAt && { passedAt }) },
  });
  const promotions = [
    aPromotion(running, "2026-11-23T10:00:00Z"),
    aPromotion("4".repeat(40), undefined),
    aPromotion(before, "2026-11-22T10:00:00Z"),
    aPromotion(first, "2026-11-21T10:00:00Z"),
    aPromotion("5".repeat(40), "2026-11-23T09:00:00Z", { stage: "dev" }),
    aPromotion("6".repeat(40), "2026-11-23T09:00:00Z", { pipeline: "other" }),
  ];
  const pipeline = (() => {
    const plain = aPipeline({ isWaiting: false });
    const stages = [
      { name: "prod", phase: "Failed" as const, running: { digest: running.slice(0, 32), proven: true } },
    ];
    return { ...plain, status: { ...plain.status, stages } };
  })();

  test("is the last passed digest that the stage does not run", () => {
    expect(chooseRollback(pipeline, "prod", { promotions, revision: undefined })).toEqual({
      revision: before,
      digest: before.slice(0, 32),
    });
    expect(chooseRollback(pipeline, "prod", { promotions, revision: "1111" }).revision).toBe(first);
  });

  test("is the last passed digest also while the stage proves another one", () => {
    const proving = { revision: "4".repeat(40), digest: "4".repeat(32) };
    const stage = {
      name: "prod",
      phase: "Proving" as const,
      running: { digest: running.slice(0, 32), proven: true },
      promotion: { name: "to-4444", number: 4, ...proving },
    };
    const busy = { ...pipeline, status: { ...pipeline.status, stages: [stage] } };
    expect(chooseRollback(busy, "prod", { promotions, revision: undefined }).revision).toBe(running);
  });

  test("is what passed last while a newer commit is being proven", () => {
    const proving = aPromotion("7".repeat(40), undefined, { number: 5 });
    const all = [...promotions, { ...proving, status: { phase: "Proving" } }];
    expect(chooseRollback(pipeline, "prod", { promotions: all, revision: undefined }).revision).toBe(running);
  });

  test("is not a digest that has failed when it was verified again", () => {
    const again = aPromotion(before, undefined, { number: 3 });
    const failed = { ...again, status: { phase: "Failed", failedAt: "2026-11-22T11:00:00Z" } };
    const all = [...promotions, aPromotion(running, "2026-11-23T10:00:00Z", { number: 4 }), failed];
    expect(chooseRollback(pipeline, "prod", { promotions: all, revision: undefined }).revision).toBe(first);
    expect(() => chooseRollback(pipeline, "prod", { promotions: all, revision: "2222" })).toThrow(
      /"2222" has not passed it \(passed: 3333333333, 1111111111\)/,
    );
  });

  test("is no commit with so short a beginning that it may be a mistake", () => {
    expect(() => chooseRollback(pipeline, "prod", { promotions, revision: "" })).toThrow(
      "Cannot roll back stage prod of Pipeline shop/shop: use at least 4 digits of the commit's id",
    );
  });

  test("may have passed under an earlier name of the stage", () => {
    const [dev, prod] = pipeline.spec.stages;
    const renamed = {
      ...pipeline,
      spec: { ...pipeline.spec, stages: [dev, { ...prod, formerly: ["production"] }] },
    } as typeof pipeline;
    const old = aPromotion("8".repeat(40), "2026-11-20T10:00:00Z", { stage: "production" });
    const chosen = chooseRollback(renamed, "prod", { promotions: [old], revision: undefined });
    expect(chosen.revision).toBe("8".repeat(40));
  });

  test("refuses the beginning of several commits that have passed", () => {
    const other = aPromotion(`1111${"9".repeat(36)}`, "2026-11-20T10:00:00Z");
    expect(() =>
      chooseRollback(pipeline, "prod", { promotions: [...promotions, other], revision: "1111" }),
    ).toThrow(
      'Cannot roll back stage prod of Pipeline shop/shop: several commits that have passed it begin with "1111"; use more digits',
    );
  });

  test("refuses a digest that has not passed the stage", () => {
    expect(() => chooseRollback(pipeline, "prod", { promotions, revision: "4444" })).toThrow(
      'Cannot roll back stage prod of Pipeline shop/shop: "4444" has not passed it (passed: 3333333333, 2222222222, 1111111111)',
    );
    expect(() => chooseRollback(pipeline, "prod", { promotions: [], revision: undefined })).toThrow(
      "no other digest has passed it",
    );
  });
});
