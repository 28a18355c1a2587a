import { describe, expect, test } from "vitest";
import { takesHours } from "../../long.ts";
import { DeliveryWorld } from "./delivery-world.ts";
import { Killed } from "./simulated-operator.ts";
import { aShop, gatesOf, hour, minute, promoted, threeStages, waitingOf } from "./stages.ts";

const replicas = [{ kind: "ConfigMap", fields: ["data.replicas"] }];
/** The content of a stage: numbers and levels. */
const at = (prod: object, others: object = { replicas: 1 }) => ({
  dev: JSON.stringify(others),
  staging: JSON.stringify(others),
  prod: JSON.stringify(prod),
});
const compared = (differences: object[] = replicas) => aShop({ prod: { differences } });

describe("the differences of a stage", () => {
  test("check 44: declared fields may differ", () => {
    const world = compared();
    const first = world.push(at({ replicas: 3 }));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first]);
  });

  test("check 44: an undeclared difference between staging and prod is reported at once with the field, and prod does not start", () => {
    const world = compared();
    const first = world.push(at({ replicas: 3, level: "debug" }));
    world.run(minute);
    const text =
      'Release "shop/prod" differs from Release "shop/staging" of stage "staging" in ConfigMap web: data.level';
    expect(world.stage("prod").problems).toEqual([`${first.slice(0, 12)} cannot start: ${text}`]);
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    world.run(24 * hour);
    expect(promoted(world, "staging")).toEqual([first]);
    expect(promoted(world, "prod")).toEqual([]);
    expect(gatesOf(world, "prod")).toEqual(["Differences"]);
    expect(waitingOf(world, "prod")).toBe(`${first.slice(0, 12)}: ${text}, which is not declared`);
    // No value is in any status.
    expect(JSON.stringify(world.objects.all())).not.toContain('"debug"');
    const fixed = world.push(at({ replicas: 3 }));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([fixed]);
    expect(world.stage("prod").problems).toBeUndefined();
  });

  test("a message has a limited length for any number of differences", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key-${index}`, "1"]));
    const world = compared();
    world.push(at({ ...many, replicas: 3 }));
    world.run(hour);
    expect(waitingOf(world, "prod")).toMatch(/ConfigMap web: data\.key-\d+; .*; and \d+ more/);
    expect(waitingOf(world, "prod").length).toBeLessThan(500);
  });

  test("the names of the fields are kept while a newer commit is planned and proven", () => {
    const world = compared();
    world.push(at({ replicas: 3, level: "debug" }));
    world.run(hour);
    const text = waitingOf(world, "prod");
    world.push(at({ replicas: 3 }, { replicas: 2 }));
    world.run(minute);
    expect(waitingOf(world, "prod")).toBe(text);
  });

  test("prod starts when a difference is declared", () => {
    const world = compared();
    const first = world.push(at({ replicas: 3, level: "debug" }));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    const [dev, staging, prod] = world.pipeline.spec.stages;
    const fields = ["data.replicas", "data.level"];
    world.editStages([dev, staging, { ...prod, differences: [{ fields }] }] as object[]);
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([first]);
  });

  test("a stricter rule takes effect at once, also for a candidate that was planned before", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    const first = world.push(at({ replicas: 3 }));
    world.run(hour);
    // Another commit is planned now.
    world.push(at({ replicas: 3 }));
    world.run(hour);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
    const [dev, staging, prod] = world.pipeline.spec.stages;
    world.editStages([dev, staging, { ...prod, differences: [] }] as object[]);
    world.run(0);
    expect(gatesOf(world, "prod")).toEqual(["Differences", "Approvals"]);
    expect(waitingOf(world, "prod")).toContain("is not compared with");
    world.run(minute);
    expect(waitingOf(world, "prod")).toContain("ConfigMap web: data.replicas");
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    world.editStages([dev, staging, { ...prod, differences: replicas }] as object[]);
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([first]);
  });

  test("a hotfix may bypass the gate, and a rollback to a digest that passed does not need it", () => {
    const world = compared();
    const first = world.push(at({ replicas: 3 }));
    world.run(hour);
    const fix = world.push(at({ replicas: 3, level: "debug" }));
    world.run(hour);
    const request = { stage: "prod", by: "ann", reason: "outage" };
    world.request("fix", { ...request, revision: fix });
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Differences"]);
    world.remove("Promotion", "fix");
    world.request("again", { ...request, revision: fix, bypass: ["Differences"] });
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([first, fix]);
    // The stage gets a stricter rule than before.
    const [dev, staging, prod] = world.pipeline.spec.stages;
    world.editStages([dev, staging, { ...prod, differences: [] }] as object[]);
    world.request("back", { ...request, revision: first, hold: true });
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([first, fix, first]);
  });

  test("Releases are compared with those of the same name, of their counterpart, or with the only one", () => {
    const stages = (counterpart: object) => [
      { name: "staging", releases: [{ name: "web-staging" }, { name: "db" }] },
      {
        name: "prod",
        releases: [
          { name: "web", ...counterpart },
          { name: "db2", counterpart: "db" },
        ],
        differences: [],
      },
    ];
    const contents = { "web-staging": '{"a":"1"}', db: '{"a":"2"}', web: '{"a":"1"}', db2: '{"a":"2"}' };
    const unpaired = new DeliveryWorld({ stages: stages({}) });
    unpaired.push(contents);
    unpaired.run(hour);
    expect(waitingOf(unpaired, "prod")).toContain(
      'Release "shop/web" has no counterpart in stage "staging" to be compared with',
    );
    const paired = new DeliveryWorld({ stages: stages({ counterpart: "web-staging" }) });
    const first = paired.push(contents);
    paired.run(hour);
    expect(promoted(paired, "prod")).toEqual([first]);
    paired.push({ ...contents, db2: '{"a":"3"}' });
    paired.run(hour);
    expect(waitingOf(paired, "prod")).toContain('Release "shop/db2" differs from Release "shop/db"');
  });

  test("when the operator is killed before and after every write, the result is that of an uninterrupted run", () => {
    const run = (killAt?: { readonly write: number; readonly isAfter: boolean }) => {
      const world = new DeliveryWorld({ stages: threeStages({ prod: { differences: replicas } }) });
      let writes = 0;
      world.onWrite = () => {
        writes++;
        if (writes !== killAt?.write) return;
        if (!killAt.isAfter) throw new Killed();
        world.at(0, () => world.restart());
      };
      world.push(at({ replicas: 3, level: "debug" }));
      world.run(20 * minute);
      const waits = waitingOf(world, "prod");
      world.push(at({ replicas: 3 }, { replicas: 2 }));
      world.run(hour);
      return { writes, waits, prod: promoted(world, "prod"), staging: promoted(world, "staging") };
    };
    const { writes: count, ...expected } = run();
    expect(expected).toMatchObject({
      waits: expect.stringContaining("data.level"),
      prod: ["2".padStart(40, "0")],
    });
    // At every write in `npm run test:long`, and at every seventh one otherwise.
    for (let write = 1; write <= count; write += takesHours ? 1 : 7) {
      for (const isAfter of [false, true]) {
        const { writes: _, ...disturbed } = run({ write, isAfter });
        expect(disturbed, `killed ${isAfter ? "after" : "before"} write ${write}`).toEqual(expected);
      }
    }
  });

  test("a Pipeline without `differences` requests and records no comparison", () => {
    const world = aShop();
    world.push(at({ replicas: 3 }));
    world.run(hour);
    expect(JSON.stringify(world.objects.all())).not.toMatch(/"compare|"differences/);
  });

  test("a comparison without a difference causes no write, and the names of a difference cause one for each Release", () => {
    const plain = aShop();
    const world = compared();
    const applied = (one: DeliveryWorld) => one.writes.filter((write) => write.includes("apply Release"));
    for (const one of [plain, world]) {
      one.push(at({ replicas: 3 }));
      one.run(hour);
    }
    expect(applied(world)).toHaveLength(applied(plain).length);
    for (const one of [plain, world]) {
      one.push(at({ replicas: 3, level: "debug" }));
      one.run(0);
      one.writes.splice(0);
    }
    plain.run(minute);
    world.run(minute);
    expect(
      applied(world)
        .toSorted()
        .map((write) => write.split(" ")[2]),
    ).toEqual(["Release/prod", "Release/staging"]);
    const { length } = world.writes;
    world.run(24 * hour);
    expect(world.writes).toHaveLength(length);
    // For the next commit, no unnecessary names are requested.
    world.writes.splice(0);
    world.push(at({ replicas: 4 }));
    world.run(hour);
    expect(applied(world).filter((write) => write.includes("Release/prod"))).toHaveLength(2);
  });
});
