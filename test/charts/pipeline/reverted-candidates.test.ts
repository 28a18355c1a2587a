import { describe, expect, test } from "vitest";
import { aShop, everywhere, hour, minute, promoted, second } from "./stages.ts";

describe("a candidate that a later commit has reverted", () => {
  const atNoon = { enter: { windows: [{ allow: { cron: "0 12 * * *", duration: "1h" } }] } };

  test("is not started when the window of a stage opens, also if a newer one has failed before", () => {
    for (const isFailing of [false, true]) {
      const world = aShop({ prod: atNoon });
      const first = world.push(everywhere("1"));
      world.run(13 * hour);
      world.push(everywhere("2"));
      world.run(hour);
      const revert = world.push(everywhere("1"));
      world.run(hour);
      if (isFailing) {
        world.setHealth("staging", "Failed");
        for (const text of ["3", "4", "5"]) {
          world.push(everywhere(text));
          world.run(hour);
        }
      }
      expect(promoted(world, "staging")).toContain(revert);
      expect(world.stage("prod").next).toBeUndefined();
      world.run(24 * hour);
      expect(promoted(world, "prod")).toEqual([first]);
    }
  });

  test("is not started after an approval of it, and the next one is", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    const approve = (name: string, digest = world.stage("prod").next?.digest) => {
      world.approve(name, { stage: "prod", digest });
      world.run(hour);
    };
    const first = world.push(everywhere("1"));
    world.run(hour);
    approve("ann");
    world.push(everywhere("2"));
    world.run(hour);
    const { digest } = world.stage("prod").next ?? {};
    world.push(everywhere("1"));
    world.run(hour);
    approve("bob", digest);
    expect(promoted(world, "prod")).toEqual([first]);
    const next = world.push(everywhere("3"));
    world.run(hour);
    approve("cleo");
    expect(promoted(world, "prod")).toEqual([first, next]);
  });

  test("is not proven after the soak of what the revert goes back to", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(5 * minute);
    world.push(everywhere("2"));
    world.run(5 * second);
    const revert = world.push(everywhere("1"));
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([first]);
    expect(promoted(world, "prod")).toEqual([revert]);
    const next = world.push(everywhere("4"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([revert, next]);
  });

  test("is not started while an earlier stage proves the revert as an upgraded operator renders it", () => {
    for (const change of [everywhere, (text: string) => ({ prod: text })]) {
      const world = aShop({ prod: atNoon });
      const first = world.push(everywhere("1"));
      world.run(13 * hour);
      const reverted = world.push(change("2"));
      world.run(hour);
      world.push(change("1"));
      world.run(21 * hour + 55 * minute);
      world.upgrade("2");
      world.run(3 * hour);
      expect(promoted(world, "prod")).not.toContain(reverted);
      expect(promoted(world, "prod")[0]).toBe(first);
      expect(promoted(world, "prod").length).toBeGreaterThan(1);
    }
  });

  test("is started if the digest that the revert goes back to has failed in the stage", () => {
    const world = aShop({ staging: { pass: {} } });
    world.push(everywhere("1"));
    world.run(hour);
    world.setHealth("prod", "Failed");
    const bad = world.push({ prod: "bad" });
    world.run(hour);
    world.freeze("all", { stages: ["prod"] });
    const fix = world.push({ prod: "2" });
    world.run(minute);
    world.push({ prod: "bad" });
    world.run(minute);
    world.setHealth("prod", "Healthy");
    world.remove("Freeze", "all");
    world.run(hour);
    expect(promoted(world, "prod").slice(1)).toEqual([bad, fix]);
  });
});
