import { describe, expect, test } from "vitest";
import { promotionTrailers } from "../../../charts/pipeline/promotion-trailers.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { Promotion, type PromotionSpec } from "../../../crds/promotion.ts";
import { Release } from "../../../crds/release.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const revision = "1".repeat(40);
const other = "2".repeat(40);
const pipeline = aLiveObject({ kind: Pipeline, name: "shop" });

function aRelease(pin: object): LiveObject {
  const spec = { source: { ref: { pipeline: "shop", stage: "prod" } }, ...pin };
  return aLiveObject({ kind: Release, name: "eu", fields: { spec } });
}

function aPromotion(number: number, more: Partial<PromotionSpec> = {}, owner = pipeline): LiveObject {
  const { name, uid } = owner.metadata;
  const reference = { apiVersion: "fairlead.dev/v1alpha1", kind: "Pipeline", name, uid, controller: true };
  const releases = [{ name: "eu", namespace: "shop", digest: "d1" }];
  const spec = { pipeline: "shop", stage: "prod", revision, digest: "stage", releases, number, ...more };
  return aLiveObject({
    kind: Promotion,
    name: `shop-prod-${number}`,
    metadata: { ownerReferences: [reference] },
    fields: { spec },
  });
}

function trailersOf(
  promotions: readonly LiveObject[],
  pin: object = { revision, digest: "d1" },
): readonly string[] {
  const list = () => promotions;
  const observed = { list, find: () => undefined };
  return promotionTrailers(aRelease(pin), { resource: pipeline, observed })
    .filter(({ value }) => value !== "")
    .map(({ key, value }) => `${key}: ${value}`);
}

const head = (number: number) => [
  `Fairlead-Promotion: shop/shop-prod-${number}`,
  "Fairlead-Stage: shop/prod",
  "Fairlead-Digest: stage",
];

describe("promotionTrailers()", () => {
  test("name Promotion, stage and digest of a candidate", () => {
    expect(trailersOf([aPromotion(1)])).toEqual(head(1));
  });

  test("name who approved, and when", () => {
    const approvals = ["ann", "bob"].map((by) => ({
      name: `by-${by}`,
      uid: by,
      by,
      at: "2026-01-01T00:00:00Z",
      digest: "stage",
    }));
    expect(trailersOf([aPromotion(1, { approvals })])).toEqual([
      ...head(1),
      "Fairlead-Approved-By: ann at 2026-01-01T00:00:00Z",
      "Fairlead-Approved-By: bob at 2026-01-01T00:00:00Z",
    ]);
  });

  test("name at most sixteen users who approved, and count the others", () => {
    const approvals = Array.from({ length: 20 }, (_, index) => ({
      name: `a${index}`,
      uid: `u${index}`,
      by: `user${index}`,
      at: "2026-01-01T00:00:00Z",
      digest: "stage",
    }));
    const lines = trailersOf([aPromotion(1, { approvals })]);
    expect(lines.filter((line) => line.startsWith("Fairlead-Approved-By: "))).toHaveLength(16);
    expect(lines).toContain("Fairlead-Approvals: 20");
  });

  test("name who requested a hotfix, the gates that it skips, and why", () => {
    const hotfix = { by: "ann", bypass: ["Order", "Soak"] as const, reason: "checkout is down" };
    expect(trailersOf([aPromotion(1, { ...hotfix, bypass: [...hotfix.bypass] })])).toEqual([
      ...head(1),
      "Fairlead-Promoted-By: ann",
      "Fairlead-Bypassed: Order, Soak",
      "Fairlead-Reason: checkout is down",
    ]);
  });

  test("report an automatic rollback", () => {
    expect(trailersOf([aPromotion(1, { rollback: true })])).toContain("Fairlead-Rollback: true");
  });

  test("are those of the last Promotion with this pin", () => {
    const promotions = [aPromotion(10), aPromotion(9), aPromotion(11, { revision: other })];
    expect(trailersOf(promotions)).toEqual(head(10));
  });

  test.for<{ why: string; promotions: readonly LiveObject[]; pin?: object }>([
    { why: "another commit is pinned", promotions: [aPromotion(1)], pin: { revision: other, digest: "d1" } },
    { why: "another digest is pinned", promotions: [aPromotion(1)], pin: { revision, digest: "d2" } },
    { why: "nothing is pinned", promotions: [aPromotion(1)], pin: {} },
    {
      why: "it is of another Pipeline of the same name",
      promotions: [aPromotion(1, {}, aLiveObject({ kind: Pipeline, name: "shop", uid: "earlier" }))],
    },
    {
      why: "it does not name the Release",
      promotions: [aPromotion(1, { releases: [{ name: "us", namespace: "shop", digest: "d1" }] })],
    },
  ])("are none if $why", ({ promotions, pin }) => {
    expect(trailersOf(promotions, pin)).toEqual([]);
  });

  test("are none for a Promotion that a user created", () => {
    const { metadata, ...rest } = aPromotion(1, { by: "mallory" });
    const { ownerReferences: _, ...own } = metadata;
    expect(trailersOf([{ ...rest, metadata: own } as LiveObject])).toEqual([]);
  });
});
