import { describe, expect, test } from "vitest";
import {
  aShop,
  everywhere,
  gatesOf,
  hour,
  job,
  minute,
  promoted,
  second,
  threeStages,
  waitingOf,
} from "./stages.ts";

describe("changes of stages", () => {
  test("check 39: a stage that is added in the middle keeps what its Releases run, has not passed it, and blocks the next stage", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.addRelease("test", "test");
    const [dev, staging, prod] = threeStages();
    world.editStages([
      dev,
      { name: "test", releases: [{ name: "test" }], pass: { soak: "5m" } },
      staging,
      prod,
    ] as object[]);
    world.run(minute);
    expect(world.stage("test")).toMatchObject({
      phase: "Proving",
      running: { revision: first, proven: false },
    });
    expect(world.release("prod").spec.revision).toBe(first);
    const second_ = world.push({ ...everywhere("2"), test: "2" });
    world.run(10 * second);
    expect(promoted(world, "staging")).toEqual([first]);
    world.run(hour);
    expect(promoted(world, "test").at(-1)).toBe(second_);
    expect(promoted(world, "prod")).toEqual([first, second_]);
  });

  test("check 39: a removed stage keeps its Releases and pins, and blocks no stage", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    const [dev, , prod] = threeStages();
    world.editStages([dev, prod] as object[]);
    const second_ = world.push(everywhere("2"));
    world.run(hour);
    expect(world.release("staging").spec.revision).toBe(first);
    expect(promoted(world, "prod")).toEqual([first, second_]);
  });

  test.for([true, false])("check 39: a declared rename keeps the results of the stage (%s)", (isDeclared) => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    const first = world.push(everywhere("1"));
    world.run(hour);
    const [dev, , prod] = threeStages();
    world.editRelease("staging", { source: { ref: { pipeline: "shop", stage: "qa" } } });
    const qa = {
      name: "qa",
      releases: [{ name: "staging" }],
      pass: { verify: [job()] },
      ...(isDeclared && { formerly: ["staging"] }),
    };
    world.editStages([dev, qa, prod] as object[]);
    world.run(10 * second);
    expect(world.stage("qa")).toMatchObject({
      running: { revision: first, proven: isDeclared },
      phase: isDeclared ? "Passed" : "Proving",
    });
    expect(world.release("staging").spec.revision).toBe(first);
    world.run(hour);
    expect(world.stage("qa").phase).toBe("Passed");
    expect(promoted(world, "prod")).toEqual([first]);
  });

  test("check 39: reordering stages rolls no stage back", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    const second_ = world.push(everywhere("2"));
    world.run(minute);
    const [dev, staging, prod] = threeStages();
    world.editStages([staging, dev, prod] as object[]);
    world.run(hour);
    for (const name of ["dev", "staging", "prod"]) expect(world.release(name).spec.revision).toBe(second_);
    expect(promoted(world, "prod")).toEqual([first, second_]);
  });

  test("check 40: a recreated Pipeline promotes no commit to a stage whose earlier stages have not passed it", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.push(everywhere("2"));
    world.run(minute);
    const { spec } = world.pipeline;
    world.deletePipeline();
    world.run(minute);
    const running = ["dev", "staging", "prod"].map((name) => world.release(name).status?.deployed?.revision);
    expect(world.promotions()).toEqual([]);
    world.createPipeline(spec);
    world.run(5 * second);
    expect(["dev", "staging", "prod"].map((name) => world.release(name).status?.deployed?.revision)).toEqual(
      running,
    );
    expect(running.at(-1)).toBe(first);
    world.run(7 * minute);
    expect(world.release("prod").status?.deployed?.revision).toBe(first);
    world.run(hour);
    expect(world.stage("prod")).toMatchObject({
      phase: "Passed",
      running: { revision: world.commits[1]?.id },
    });
  });

  test("check 41: when all Promotions are deleted nothing is deployed, and the running commits are proven again", () => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    const first = world.push(everywhere("1"));
    world.run(hour);
    const { length } = world.writes.filter((write) => write.includes("apply"));
    for (const { metadata } of world.promotions()) world.remove("Promotion", metadata.name);
    world.run(10 * second);
    expect(promoted(world, "dev")).toEqual([first]);
    expect(promoted(world, "prod")).toEqual([]);
    expect(world.writes.filter((write) => write.includes("apply"))).toHaveLength(length);
    world.run(hour);
    expect(world.promotions("staging")[0]?.status?.phase).toBe("Passed");
    expect(promoted(world, "prod")).toEqual([first]);
    expect(world.writes.filter((write) => write.includes("apply"))).toHaveLength(length);
  });

  test("check 42: a stage waits for a Release that is missing, suspended, of another stage, invalid or with a held prune, and names it", () => {
    for (const [spoil, repair, text] of [
      [
        (world) => world.remove("Release", "prod"),
        (world) => world.addRelease("prod", "prod"),
        "does not exist",
      ],
      [
        (world) => world.editRelease("prod", { suspend: true }),
        (world) => world.editRelease("prod", { suspend: undefined }),
        "is suspended",
      ],
      [
        (world) => world.editRelease("prod", { source: { ref: { pipeline: "shop", stage: "dev" } } }),
        (world) => world.editRelease("prod", { source: { ref: { pipeline: "shop", stage: "prod" } } }),
        'names stage "dev"',
      ],
      ...["PruneHeld", "SpecInvalid"].map(
        (reason) =>
          [
            (world: ReturnType<typeof aShop>) => world.setRefusal("prod", reason),
            (world: ReturnType<typeof aShop>) => world.setRefusal("prod", undefined),
            `is not ready: it is ${reason}`,
          ] as const,
      ),
    ] as readonly (readonly [
      (world: ReturnType<typeof aShop>) => void,
      (world: ReturnType<typeof aShop>) => void,
      string,
    ])[]) {
      const world = aShop();
      spoil(world);
      const commit = world.push(everywhere("1"));
      world.run(24 * hour);
      expect(promoted(world, "prod"), text).toEqual([]);
      expect(gatesOf(world, "prod"), text).toContain("Releases");
      expect(waitingOf(world, "prod")).toContain(text);
      repair(world);
      world.run(hour);
      expect(promoted(world, "prod"), text).toEqual([commit]);
    }
  });

  test("check 43: a commit that prod cannot render is reported when it arrives; dev continues, and prod never starts it", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    const broken = world.push({ dev: "2", staging: "2", prod: "!unknown field" });
    world.run(5 * second);
    expect(world.stage("prod").problems).toEqual([expect.stringContaining("unknown field")]);
    expect(promoted(world, "dev").at(-1)).toBe(broken);
    world.run(hour);
    expect(promoted(world, "staging").at(-1)).toBe(broken);
    expect(promoted(world, "prod")).toHaveLength(1);
    expect(gatesOf(world, "prod")).toEqual(["Plan"]);
  });

  test("check 46: after a revert commit staging needs health with the old digest, and prod may start without a new soak", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.push(everywhere("2"));
    world.run(5 * minute);
    const revert = world.push(everywhere("1"));
    world.run(10 * minute);
    expect(promoted(world, "staging").at(-1)).toBe(revert);
    expect(world.promotions("staging").at(-1)).toMatchObject({
      spec: { provenBy: "shop-staging-1" },
      status: { phase: "Passed" },
    });
    expect(world.stage("prod").phase).toBe("Passed");
  });

  test("a Release that names a stage which does not list it is reported and not pinned", () => {
    const world = aShop();
    world.addRelease("stranger", "prod");
    world.push({ ...everywhere("1"), stranger: "1" });
    world.run(hour);
    expect(world.release("stranger").spec).toEqual({ source: { ref: { pipeline: "shop", stage: "prod" } } });
    expect(JSON.stringify(world.pipeline.status)).toContain(
      'Release \\"shop/stranger\\" names stage \\"prod\\", which does not list it',
    );
  });

  test("a stage without Releases never passes", () => {
    const world = aShop({ staging: { releases: [] } });
    world.push(everywhere("1"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(waitingOf(world, "staging")).toContain("has no Releases");
  });

  test("a stage that requires image digests does not start a commit with a tag", () => {
    const world = aShop({ prod: { requireImageDigests: true } });
    world.push(everywhere("web:latest"));
    world.run(hour);
    expect(gatesOf(world, "prod")).toEqual(["Images"]);
    const fixed = world.push(everywhere("web@sha256"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([fixed]);
  });

  test("a suspended Pipeline starts no candidate, and a Promotion in progress continues", () => {
    const world = aShop({ staging: { pass: { soak: "10m", verify: [job()] } } });
    world.push(everywhere("1"));
    world.run(minute);
    world.editPipeline({ suspend: true });
    world.run(hour);
    expect(world.stage("staging").phase).toBe("Passed");
    expect(promoted(world, "prod")).toEqual([]);
    expect(gatesOf(world, "prod")).toEqual(["Suspended"]);
    world.editPipeline({ suspend: false });
    world.run(minute);
    expect(promoted(world, "prod")).toHaveLength(1);
  });
});
