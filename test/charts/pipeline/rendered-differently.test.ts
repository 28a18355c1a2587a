import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, minute, promoted, second } from "./stages.ts";

/** A world in which all stages run a commit, and the Release of prod reports a change first. */
function aShopThatChanges() {
  const world = aShop();
  world.push(everywhere("1"));
  world.run(hour);
  world.changeInputs("prod", "2");
  return world;
}

describe("a stage whose Releases render their commit differently", () => {
  test("waits for the earlier stages when they report the same some seconds later", () => {
    const world = aShopThatChanges();
    world.run(20 * second);
    world.changeInputs("dev", "2");
    world.run(20 * second);
    world.changeInputs("staging", "2");
    world.run(5 * minute);
    expect(world.promotions("staging")).toHaveLength(2);
    expect(world.promotions("prod")).toHaveLength(1);
    world.run(10 * minute);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { attempt: 1 },
      status: { phase: "Passed" },
    });
    expect(world.promotions("prod")).toHaveLength(2);
  });

  test("waits for the earlier stages also if it was unhealthy before", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.setHealth("prod", "Progressing");
    world.run(10 * minute);
    world.changeInputs("prod", "2");
    world.run(20 * second);
    world.changeInputs("staging", "2");
    world.run(5 * minute);
    expect(world.promotions("staging")).toHaveLength(2);
    expect(world.promotions("prod")).toHaveLength(1);
  });

  test("starts its commit although the plan of a later one, which did not change it, is older and has the same digest", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    const unchanged = world.push({ dev: "2", staging: "2" });
    world.run(hour);
    world.setHealth("dev", "Progressing");
    world.push(everywhere("3"));
    world.run(5 * minute);
    world.changeInputs("prod", "2");
    world.run(10 * minute);
    expect(promoted(world, "prod").slice(0, 2)).toEqual([first, first]);
    expect(promoted(world, "prod").at(-1)).toBe(unchanged);
    expect(world.stage("prod")).toMatchObject({ running: { revision: unchanged, proven: true } });
  });

  test("continues after a minute when only its own inputs have changed", () => {
    const world = aShopThatChanges();
    world.run(50 * second);
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    expect(world.stage("prod").waiting?.[0]?.until).toBeDefined();
    world.run(20 * second);
    expect(world.promotions("prod")).toHaveLength(2);
  });

  test("starts at once if it follows no stage", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.changeInputs("dev", "2");
    world.run(10 * second);
    expect(world.promotions("dev")).toHaveLength(2);
  });
});
