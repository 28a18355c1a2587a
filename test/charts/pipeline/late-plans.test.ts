import { describe, expect, test } from "vitest";
import type { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, minute, promoted, second } from "./stages.ts";

/** A Release that no operator reconciles any more; the result lets one do so again. */
function silence(world: DeliveryWorld, silent: string): () => void {
  const schedule = world.scheduleRelease.bind(world);
  world.scheduleRelease = (name) => {
    if (name !== silent) schedule(name);
  };
  return () => {
    world.scheduleRelease = schedule;
    schedule(silent);
  };
}

const late =
  'Release "shop/prod" has not planned 000000000000, which was requested at 2026-01-01T00:01:00Z, so no newer commit is planned: see its conditions, and whether an operator reconciles it; while it is suspended, the other Releases go on';
const problemsOf = (world: DeliveryWorld) => world.stage("prod").problems;
const verdictOf = (world: DeliveryWorld) =>
  (world.pipeline.status as unknown as { readonly verdict: object }).verdict;

describe("describeLatePlans()", () => {
  test("names a Release that has not planned a commit for 30 seconds, the commit, and what to do", () => {
    const world = aShop();
    silence(world, "prod");
    world.push(everywhere("1"));
    world.run(29 * second);
    expect(problemsOf(world)).toBeUndefined();
    world.run(2 * second);
    expect(problemsOf(world)).toEqual([late]);
    expect(verdictOf(world)).toEqual({ status: "Failed", message: `prod: ${late}` });
  });

  test("costs one status, and no reconcile while nothing changes", () => {
    const world = aShop();
    silence(world, "prod");
    world.push(everywhere("1"));
    world.run(10 * second);
    const { length } = world.writes;
    world.run(hour);
    expect(world.writes.slice(length)).toEqual([expect.stringContaining("status Pipeline/shop")]);
    expect(world.nextWakeMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("says nothing of a Release that has planned it, or is suspended, and goes on", () => {
    const world = aShop();
    const answer = silence(world, "prod");
    const first = world.push(everywhere("1"));
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([]);
    world.editRelease("prod", { suspend: true });
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([first]);
    expect(problemsOf(world)).toEqual(['Release "shop/prod" is suspended']);
    world.editRelease("prod", { suspend: false });
    answer();
    world.run(minute);
    expect(problemsOf(world)).toBeUndefined();
  });
});
