import { describe, expect, test } from "vitest";
import { type PromotionView, StageHistory } from "../../../charts/pipeline/promotions.ts";
import type { LiveObject } from "../../../crds/object.ts";
import type { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, gatesOf, hour, minute, promoted, second, waitingOf } from "./stages.ts";

/** Deletes the last Promotion that the Pipeline created for prod. */
const loseLast = (world: DeliveryWorld): void =>
  void world.remove("Promotion", world.promotions("prod").at(-1)?.metadata.name ?? "");

describe("a lost record", () => {
  /** A world in which a user has rolled prod back to the first commit while it was proving the second one. */
  function rolledBack(more: object = {}) {
    const world = aShop({ prod: { pass: { soak: "10m" } } });
    const first = world.push(everywhere("1"));
    world.run(hour);
    const bad = world.push(everywhere("2"));
    world.run(13 * minute);
    expect(promoted(world, "prod")).toEqual([first, bad]);
    world.request("back", { stage: "prod", revision: first, by: "ann", reason: "bad", ...more });
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(first);
    return { world, first, bad };
  }

  test("of a rollback moves the stage neither to what it left nor on, while the user's request holds it", () => {
    const { world, first } = rolledBack({ hold: true });
    loseLast(world);
    world.push(everywhere("3"));
    world.run(3 * hour);
    expect(world.release("prod").spec.revision).toBe(first);
    expect(world.stage("prod").phase).toBe("Held");
    expect(gatesOf(world, "prod")).toEqual(["Hold"]);
    expect(waitingOf(world, "prod")).toContain('held by ann: bad; delete Promotion "back" to continue');
    world.remove("Promotion", "back");
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(world.commits[2]?.id);
  });

  test("of a rollback without hold leaves the stage open for the next candidate", () => {
    const { world } = rolledBack();
    loseLast(world);
    const third = world.push(everywhere("3"));
    world.run(3 * hour);
    expect(promoted(world, "prod").at(-1)).toBe(third);
    expect(world.stage("prod").phase).toBe("Passed");
  });

  const aPromotion = (number: number, more: object) =>
    ({
      ...{ name: `p-${number}`, uid: `u-${number}`, createdAt: "2026-01-01T00:00:00Z", isOurs: true },
      spec: { pipeline: "shop", stage: "prod", digest: "d", revision: "r", number, candidate: number },
      ...more,
    }) as PromotionView;
  const historyOf = (...promotions: readonly PromotionView[]) =>
    new StageHistory(promotions, { name: "prod", names: new Set(["prod"]) });

  test("of a successor does not make a replaced Promotion the target again", () => {
    const replaced = { supersededBy: "p-9" };
    const history = historyOf(aPromotion(1, { passedAt: "2026-01-01T00:00:00Z" }), aPromotion(2, replaced));
    expect(history.current?.name).toBe("p-1");
    expect(history.position).toBe(1);
    expect(historyOf(aPromotion(1, replaced)).current).toBeUndefined();
    expect(historyOf(aPromotion(1, replaced), aPromotion(2, {})).current?.name).toBe("p-2");
  });

  test("is none: a digest that failed stays failed when a later attempt was replaced", () => {
    const failed = aPromotion(1, { failedAt: "2026-01-01T00:00:00Z" });
    expect(historyOf(failed, aPromotion(2, {})).evidenceOf("d").state).toBe("Proving");
    expect(historyOf(failed, aPromotion(2, { supersededBy: "p-3" })).evidenceOf("d").state).toBe("Failed");
  });

  test("of a deleted Pipeline is no request of a user", () => {
    const world = aShop({ prod: { enter: { approvals: {} }, pass: { soak: "10m" } } });
    const first = world.push(everywhere("1"));
    world.run(hour);
    const why = { by: "ann", reason: "outage", bypass: ["Approvals", "Order"] };
    world.request("hotfix", { stage: "prod", revision: first, ...why });
    world.run(minute);
    const left = world.promotions();
    expect(left.at(-1)).toMatchObject({ spec: { stage: "prod", bypass: why.bypass } });
    const { spec } = world.pipeline;
    world.deletePipeline();
    world.remove("Promotion", "hotfix");
    // Garbage collection has not deleted them yet, or they have no owner after a deletion with --cascade=orphan.
    for (const [index, one] of left.entries()) {
      const { ownerReferences: _, ...metadata } = one.metadata;
      world.change((index % 2 === 0 ? one : { ...one, metadata, ours: false }) as LiveObject);
    }
    world.createPipeline(spec);
    const next = world.push(everywhere("2"));
    world.run(10 * second);
    expect(world.stage("prod").promotion).toBeUndefined();
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    world.run(hour);
    expect(world.stage("prod").next?.revision).toBe(next);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
  });
});

test("of several requests the newest is started, and an older one says so", () => {
  const world = aShop();
  const first = world.push(everywhere("1"));
  world.run(hour);
  world.push(everywhere("2"));
  world.run(hour);
  world.freeze("now");
  for (const name of ["older", "newer"]) {
    world.request(name, { stage: "prod", revision: first, by: "ann" });
    world.run(minute);
  }
  world.remove("Freeze", "now");
  world.run(hour);
  const statusOf = (name: string) => world.objects.find("Promotion", name)?.["status"];
  expect(statusOf("newer")).toMatchObject({ phase: "Passed" });
  expect(statusOf("older")).toMatchObject({
    phase: "Requested",
    waiting: expect.stringContaining("it starts only the newest"),
  });
});
