import { describe, expect, test } from "vitest";
import { keepPromotions } from "../../../charts/pipeline/keep-promotions.ts";
import { type PromotionView, StageHistory } from "../../../charts/pipeline/promotions.ts";
import type { PromotionSpec } from "../../../crds/promotion.ts";
import { aShop, everywhere, hour, minute } from "./stages.ts";

const prod = { name: "prod", names: new Set(["prod"]) };
const promotion = (
  number: number,
  digest: string,
  more: Partial<PromotionSpec> = {},
  outcome = "passedAt",
): PromotionView => ({
  name: `shop-prod-${number}`,
  uid: `uid-${number}`,
  createdAt: `2026-01-01T00:00:${`${number}`.padStart(2, "0")}Z`,
  isOurs: true,
  spec: {
    pipeline: "shop",
    stage: "prod",
    revision: `${number}`.repeat(40),
    digest,
    number,
    candidate: number,
    ...more,
  },
  ...(outcome !== "" && { [outcome]: "2026-01-01T01:00:00Z" }),
});
const request = (name: string, second: number, more: Partial<PromotionView> = {}): PromotionView => ({
  ...promotion(1, "a", { number: undefined }, ""),
  name,
  uid: name,
  isOurs: false,
  createdAt: `2026-01-01T00:00:${second}Z`,
  ...more,
});

/** The request for which a Promotion was created, and those that it replaces. */
const started = (name: string, replaces: string[]) => ({
  ...{ name, uid: name, at: "2026-01-01T00:00:20Z" },
  replaces,
});

describe("the history of a stage", () => {
  test.for<{ history: readonly PromotionView[]; state: string }>([
    { history: [], state: "Unknown" },
    { history: [promotion(1, "a", {}, "")], state: "Proving" },
    { history: [promotion(1, "a")], state: "Passed" },
    { history: [promotion(1, "a", {}, "failedAt")], state: "Failed" },
    { history: [promotion(1, "b")], state: "Unknown" },
    { history: [promotion(1, "a"), promotion(2, "a", {}, "failedAt")], state: "Failed" },
    { history: [promotion(1, "a", {}, "failedAt"), promotion(2, "a")], state: "Passed" },
    // A passed digest stays passed until another attempt has failed.
    { history: [promotion(1, "a"), promotion(2, "a", {}, "")], state: "Passed" },
    { history: [promotion(1, "a", {}, "failedAt"), promotion(2, "a", {}, "")], state: "Proving" },
    { history: [promotion(2, "a", {}, "failedAt"), promotion(1, "a")], state: "Failed" },
    { history: [promotion(1, "a", { stage: "staging" })], state: "Unknown" },
    { history: [{ ...promotion(1, "a"), isOurs: false }], state: "Unknown" },
  ])("reports $state for a digest after $history.length Promotions", ({ history, state }) => {
    expect(new StageHistory(history, prod).evidenceOf("a").state).toBe(state);
  });

  test.for<{ does: string; history: readonly PromotionView[]; is: number }>([
    { does: "is that of the last candidate", history: [promotion(1, "a"), promotion(2, "b")], is: 2 },
    {
      does: "is not that of an automatic rollback",
      history: [promotion(2, "b"), promotion(3, "a", { rollback: true, candidate: 1 })],
      is: 2,
    },
    {
      does: "is that of a digest that a user holds",
      history: [promotion(2, "b"), promotion(3, "a", { hold: true, candidate: 1 })],
      is: 1,
    },
    {
      does: "is not lowered by a rollback of a user",
      history: [promotion(2, "b"), promotion(3, "a", { candidate: 1 })],
      is: 2,
    },
    {
      does: "is kept for a commit that is not a candidate",
      history: [promotion(2, "b"), promotion(3, "c", { candidate: 0 })],
      is: 2,
    },
    { does: "is 0 without Promotions", history: [], is: 0 },
  ])("has a position, which $does", ({ history, is }) => {
    expect(new StageHistory(history, prod).position).toBe(is);
  });

  test("has passed a candidate that it ran when it was the newest, and not one that it skipped", () => {
    const history = new StageHistory([promotion(1, "a"), promotion(2, "b"), promotion(5, "e")], prod);
    expect(
      [1, 2, 3, 5].map((number) =>
        history.hasPassed(number, { 1: "a", 2: "b", 3: "b", 5: "e" }[number] ?? ""),
      ),
    ).toEqual([true, true, true, true]);
    // Candidate 3 has the content of candidate 1, and has never run here.
    expect(history.hasPassed(3, "a")).toBe(false);
    expect(history.hasPassed(6, "b")).toBe(false);
    expect(history.hasPassed(6, "e")).toBe(true);
  });

  test.for<{ does: string; promotions: readonly PromotionView[]; open: string | undefined }>([
    { does: "is the newest one", promotions: [request("old", 10), request("new", 20)], open: "new" },
    {
      does: "is not one that was started",
      promotions: [
        request("new", 20),
        promotion(1, "a", { request: { name: "new", uid: "new", at: "2026-01-01T00:00:20Z" } }),
      ],
      open: undefined,
    },
    {
      does: "is not one that is older than a started and deleted one",
      promotions: [
        request("old", 10),
        promotion(1, "a", { request: { name: "new", uid: "new", at: "2026-01-01T00:00:20Z" } }),
      ],
      open: undefined,
    },
    {
      does: "is one of the same second that was not known when another one was started",
      promotions: [request("a", 20), request("z", 20), promotion(1, "a", { request: started("z", []) })],
      open: "a",
    },
    {
      does: "is one that was not known then, although its time is some seconds before",
      promotions: [request("a", 10), request("z", 20), promotion(1, "a", { request: started("z", []) })],
      open: "a",
    },
    {
      does: "is not one that was known then, whatever its time",
      promotions: [request("a", 30), request("z", 20), promotion(1, "a", { request: started("z", ["a"]) })],
      open: undefined,
    },
    {
      does: "is not one that is older by minutes, and is not listed",
      promotions: [
        request("a", 0, { createdAt: "2025-12-31T23:00:00Z" }),
        request("z", 20),
        promotion(1, "a", { request: started("z", []) }),
        promotion(2, "b"),
      ],
      open: undefined,
    },
    {
      does: "is not one of the same second as one whose Promotion is lost",
      promotions: [request("a", 20), request("z", 20, { startedAs: "shop-prod-1" })],
      open: undefined,
    },
    {
      does: "is not one that has an outcome",
      promotions: [request("new", 20, { passedAt: "2026-01-01T01:00:00Z" })],
      open: undefined,
    },
    {
      does: "is not one that records its started Promotion",
      promotions: [request("new", 20, { startedAs: "shop-prod-1" })],
      open: undefined,
    },
  ])("has an open request, which $does", ({ promotions, open }) => {
    expect(new StageHistory(promotions, prod).openRequest?.name).toBe(open);
  });
});

describe("the Promotions that are kept", () => {
  test("are those that explain what runs or may run, and the newest of the others", () => {
    const world = aShop({}, { historyLimit: 2 });
    for (let number = 1; number <= 12; number++) {
      world.push({ dev: `${number}`, ...(number <= 2 && everywhere(`${number}`)) });
      world.run(15 * minute);
    }
    world.run(hour);
    const names = world.promotions().map(({ metadata }) => metadata.name);
    expect(names).toEqual(
      expect.arrayContaining(["shop-dev-12", "shop-staging-2", "shop-prod-2", "shop-prod-1"]),
    );
    expect(names.length).toBeLessThanOrEqual(10);
    expect(names).not.toContain("shop-dev-1");
    // The oldest first. This tests the function itself, without the operator.
    const left = world.promotions();
    expect(keepPromotions(world.pipeline, left)).toEqual(left);
  });
});
