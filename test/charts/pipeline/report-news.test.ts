import { describe, expect, test } from "vitest";
import { isBriefReport } from "../../../charts/pipeline/report-news.ts";
import { readWorld } from "../../../charts/pipeline/world.ts";
import { Killed } from "./simulated-operator.ts";
import { aShop, everywhere, hour, minute, second } from "./stages.ts";

describe("isBriefReport()", () => {
  const world = aShop({ dev: { pass: { soak: "1h" } } });
  world.push(everywhere("1"));
  world.run(minute);
  const { pipeline } = world;
  const stages = pipeline.status?.stages ?? [];
  const observed = { list: () => [], find: () => undefined } as never;
  const clock = { reached: () => true };
  const decided = readWorld({ resource: pipeline, observed, record: {}, clock, source: undefined });
  const isBrief = (message: string | undefined): boolean => {
    const conditions = message === undefined ? [] : [{ type: "Healthy", status: "False", message }];
    const status = { ...pipeline.status, conditions } as never;
    return isBriefReport({ stages, message: "dev proves 1" }, { status }, decided);
  };

  test("says that a status with the same stages and message is enough", () => {
    expect(isBrief("dev proves 1")).toBe(true);
    expect(isBrief(undefined)).toBe(true);
  });

  test("says that a status with the message of an earlier problem is not", () => {
    expect(isBrief("source: the remote does not answer")).toBe(false);
  });
});

describe("the news of a Pipeline", () => {
  test("what is replaced while it is being proven is superseded within some seconds", () => {
    const world = aShop();
    world.setHealth("dev", "Progressing");
    world.push(everywhere("1"));
    world.run(minute);
    world.push(everywhere("2"));
    world.run(10 * second);
    expect(world.promotions("dev").map(({ status }) => status?.phase)).toEqual(["Superseded", undefined]);
  });

  test("a Promotion that was announced, and is not created, supersedes nothing", () => {
    const world = aShop();
    world.setHealth("dev", "Progressing");
    world.push(everywhere("1"));
    world.run(minute);
    // The operator is killed between the status that announces the second one and its creation; then everything is frozen.
    world.onWrite = (write) => {
      if (!write.startsWith("create Promotion/shop-dev-2")) return;
      world.onWrite = () => {};
      world.freeze("all");
      throw new Killed();
    };
    world.push(everywhere("2"));
    world.run(minute);
    expect(world.promotions("dev")).toHaveLength(1);
    world.setHealth("dev", "Healthy");
    world.run(hour);
    expect(world.promotions("dev").map(({ status }) => status?.phase)).toEqual(["Passed"]);
    expect(world.stage("dev")).toMatchObject({ phase: "Waiting", promotion: { name: "shop-dev-1" } });
  });

  test("numbers that change in what a Promotion waits for are not written", () => {
    const world = aShop();
    const writes = () => world.writes.splice(0).filter((write) => write.includes("status Promotion"));
    world.setRefusal("dev", "Waiting for 3 of 3 pods");
    world.push(everywhere("1"));
    world.run(minute);
    expect(writes()).toHaveLength(1);
    world.setRefusal("dev", "Waiting for 2 of 3 pods");
    world.run(minute);
    expect(writes()).toEqual([]);
    world.setRefusal("dev", "Denied");
    world.run(minute);
    expect(writes()).toHaveLength(1);
  });
});
