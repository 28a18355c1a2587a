import { describe, expect, test } from "vitest";
import { isLong } from "../../long.ts";
import { DeliveryWorld } from "./delivery-world.ts";
import { everywhere, gatesOf, hour, minute, promoted, second, threeStages } from "./stages.ts";

/** A world in which a Release is healthy only some time after each deployment. */
function aSlowShop(rolloutMs: number, stages: Parameters<typeof threeStages>[0] = {}, spec: object = {}) {
  const world = new DeliveryWorld({ stages: threeStages({ staging: { pass: {} }, ...stages }), spec });
  world.run(minute);
  const started = new Map<string, { readonly digest: string; readonly atMs: number }>();
  world.healthOf = (name) => {
    const { digest = "" } = world.release(name).spec;
    if (started.get(name)?.digest !== digest) {
      started.set(name, { digest, atMs: world.nowMs });
      world.at(rolloutMs, () => world.scheduleRelease(name));
    }
    const isDone = world.nowMs - (started.get(name)?.atMs ?? 0) >= rolloutMs;
    return isDone ? (world.health.get(name) ?? "Healthy") : "Progressing";
  };
  return world;
}

/** The longest time in which a stage got no new commit while one was pushed each minute. */
function longestGapMs(world: DeliveryWorld, { stage, hours }: { stage: string; hours: number }): number {
  let [longestMs, lastMs] = [0, world.nowMs];
  for (let minutes = 0; minutes < hours * 60; minutes++) {
    const last = promoted(world, stage).at(-1);
    world.push(everywhere(`${world.commits.length}`));
    world.run(minute);
    if (promoted(world, stage).at(-1) !== last) lastMs = world.nowMs;
    longestMs = Math.max(longestMs, world.nowMs - lastMs);
  }
  return longestMs;
}

describe("a stage without soak, with a commit a minute", () => {
  test.for([
    { rolloutMs: 90 * second, gapMs: 5 * minute, hours: 1, spec: {} },
    ...(isLong ? [{ rolloutMs: 3 * minute, gapMs: 10 * minute, hours: 1, spec: {} }] : []),
    // The replaced Promotions count, also if nothing is kept beyond need.
    { rolloutMs: 25 * minute, gapMs: 70 * minute, hours: isLong ? 3 : 1.5, spec: { historyLimit: 0 } },
  ])("passes commits on steadily when a rollout takes $rolloutMs ms", ({ rolloutMs, gapMs, hours, spec }) => {
    const world = aSlowShop(rolloutMs, {}, spec);
    expect(longestGapMs(world, { stage: "staging", hours })).toBeLessThanOrEqual(gapMs);
  });

  test("passes commits on also if `supersede` lets newer ones displace what soaks", () => {
    const world = aSlowShop(0, { dev: { supersede: true, pass: { soak: "10m" } } });
    expect(longestGapMs(world, { stage: "staging", hours: isLong ? 2 : 1 })).toBeLessThanOrEqual(35 * minute);
  });

  test("replaces a rollout at once, and the one that replaced it only minutes later", () => {
    const world = aSlowShop(hour);
    const [, second_, , fourth] = [1, 2, 3, 4].map((number) => {
      const commit = world.push(everywhere(`${number}`));
      world.run(30 * second);
      return commit;
    });
    expect(promoted(world, "dev").at(-1)).toBe(second_);
    expect(gatesOf(world, "dev")).toEqual(["Slot"]);
    expect(world.stage("dev").waiting?.[0]?.until).toBe("2026-01-01T00:03:31Z");
    world.run(minute + 5 * second);
    expect(promoted(world, "dev").at(-1)).toBe(fourth);
    expect(promoted(world, "dev")).toHaveLength(3);
  });

  test("gives a fix the slot of a second stuck rollout within minutes, and of a failed one at once", () => {
    const world = aSlowShop(5 * second);
    world.setHealth("dev", "Progressing");
    for (const text of ["bad", "worse"]) {
      world.push(everywhere(text));
      world.run(30 * second);
    }
    const fix = world.push(everywhere("fixed"));
    world.run(2 * minute);
    expect(promoted(world, "dev").at(-1)).toBe(fix);
    world.setHealth("dev", "Failed");
    world.run(5 * second);
    const last = world.push(everywhere("last"));
    world.run(5 * second);
    expect(promoted(world, "dev").at(-1)).toBe(last);
  });
});
