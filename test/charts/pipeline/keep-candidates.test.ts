import { describe, expect, test } from "vitest";
import { aShop, everywhere, hour, minute, promoted } from "./stages.ts";

describe("keepCandidates()", () => {
  test("keeps the newest candidate, also while no stage can start it", () => {
    const world = aShop({ dev: { pass: { soak: "10m" } } });
    const first = world.push(everywhere("1"));
    world.run(minute);
    // It changes staging and prod, and dev has not passed what it has for dev.
    const second = world.push({ staging: "2", prod: "2" });
    world.run(minute);
    const numbers = world.pipeline.status?.candidates?.map(({ number, revision }) => [number, revision]);
    expect(numbers).toEqual([
      [1, first],
      [2, second],
    ]);
    // The commit that follows changes nothing, and the one before it is the one that goes on.
    world.push({});
    world.run(hour);
    expect(promoted(world, "staging").at(-1)).toBe(second);
  });
});
