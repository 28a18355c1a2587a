import { describe, expect, test } from "vitest";
import { TrustedTime } from "../../../operator/runtime/trusted-time.ts";
import { aShop, everywhere, hour, minute, promoted } from "./stages.ts";

/** A world whose operator uses the same clocks as the shipped one: a wall clock that can be wrong, and a monotonic one. */
function aShopWithClocks() {
  const world = aShop({ prod: { enter: { windows: [{ allow: { cron: "0 0 * * *", duration: "30m" } }] } } });
  const clocks = {
    aheadMs: 0,
    now: () => world.nowMs,
    wallClock: () => new Date(world.nowMs + clocks.aheadMs),
  };
  const time = new TrustedTime(clocks);
  world.setClock(() => time.nowMs());
  return { world, clocks };
}

describe("the clock of the machine", () => {
  test("check 33: when it is an hour ahead for a minute, no candidate passes and no window opens", () => {
    const { world, clocks } = aShopWithClocks();
    const first = world.push(everywhere("1"));
    world.run(5 * minute);
    clocks.aheadMs = hour;
    world.restart();
    world.run(minute);
    expect(world.stage("staging").phase).toBe("Proving");
    clocks.aheadMs = 0;
    world.run(3 * minute);
    expect(promoted(world, "prod")).toEqual([]);
    world.run(2 * minute);
    expect(promoted(world, "prod")).toEqual([first]);
    world.run(15 * minute);
    const second = world.push(everywhere("2"));
    world.run(2 * hour);
    // With a clock that is 23 hours ahead, it is past midnight.
    clocks.aheadMs = 23 * hour;
    world.restart();
    world.run(minute);
    expect(world.stage("prod").next?.revision).toBe(second);
    expect(promoted(world, "prod")).toEqual([first]);
  });
});
