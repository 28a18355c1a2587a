import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, minute, promoted, waitingOf } from "./stages.ts";

describe("a stage whose digest stays the same", () => {
  test("passes no commit on that a stage before it has not passed", () => {
    const world = aShop({ dev: { pass: { soak: "30m" } } });
    const first = world.push(everywhere("1"));
    world.run(2 * hour);
    const second = world.push({ dev: "2", prod: "2" });
    world.run(20 * minute);
    expect(promoted(world, "prod")).toEqual([first]);
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    expect(waitingOf(world, "prod")).toContain('has not passed stage "dev"');
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([first]);
    expect(promoted(world, "prod")).toEqual([first, second]);
  });

  test("keeps a commit that failed in dev from prod, also when a user asks for it", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.setHealth("dev", "Failed");
    const bad = world.push({ dev: "2", prod: "2" });
    world.run(hour);
    world.request("now", { stage: "prod", revision: bad, by: "ann" });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first]);
    expect(waitingOf(world, "prod")).toContain('has not passed stage "dev"');
    world.request("hotfix", {
      stage: "prod",
      revision: bad,
      by: "ann",
      reason: "outage",
      bypass: ["Order"],
    });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, bad]);
    expect(world.stage("prod").promotion?.unproven).toEqual(["dev"]);
  });

  test("passes on what it proved itself, also behind a stage that was added later", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.addRelease("test", "test");
    world.health.set("test", "Failed");
    const [dev, staging, prod] = world.pipeline.spec.stages;
    world.editStages([dev, { name: "test", releases: [{ name: "test" }] }, staging, prod] as object[]);
    world.run(minute);
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(minute);
    expect(world.stage("test").phase).toBe("Failed");
    expect(promoted(world, "prod")).toEqual([first]);
  });
});
