import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
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

describe("order and slots of a Pipeline", () => {
  test("check 1: a candidate that soaks in staging passes although a newer one exists; prod gets it or a newer one that passed", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(5 * minute);
    const second_ = world.push(everywhere("2"));
    world.run(minute);
    const third = world.push(everywhere("3"));
    world.run(5 * minute);
    expect(promoted(world, "dev")).toEqual([first, second_, third]);
    expect(promoted(world, "prod")).toEqual([first]);
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([first, third]);
    expect(promoted(world, "prod")).toEqual([first, third]);
  });

  test("check 3: after a failed verification a fix starts at once, and the failed digest never reaches prod", () => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    const bad = world.push(everywhere("bad"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.run(5 * second);
    const fix = world.push(everywhere("fixed"));
    world.run(10 * second);
    // The fix waits for the outcome of the commit that is being proven.
    expect(promoted(world, "staging")).toEqual([bad]);
    expect(gatesOf(world, "staging")).toEqual(["Slot"]);
    world.run(25 * second);
    expect(promoted(world, "staging")).toEqual([bad, fix]);
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([fix]);
  });

  test("check 3: a failed candidate without a fix stays deployed, and the stage reports why it failed", () => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    const bad = world.push(everywhere("bad"));
    world.jobOutcome = () => "Failed";
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([bad]);
    expect(world.stage("staging")).toMatchObject({
      phase: "Failed",
      promotion: { message: expect.stringContaining('"e2e" failed') },
    });
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    expect(world.release("staging").spec.revision).toBe(bad);
  });

  test("check 3: a later commit with a digest that has failed does not start", () => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    const bad = world.push(everywhere("bad"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.run(hour);
    const fix = world.push(everywhere("fixed"));
    world.run(hour);
    world.push(everywhere("bad"));
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([bad, fix]);
    expect(gatesOf(world, "staging")).toEqual(["Failed"]);
    expect(waitingOf(world, "staging")).toContain('"e2e" failed');
  });

  test("check 4: of two commits within a second, dev gets the newer one last", () => {
    const world = aShop();
    world.push(everywhere("1"));
    const second_ = world.push(everywhere("2"));
    world.run(minute);
    expect(promoted(world, "dev").at(-1)).toBe(second_);
    world.push(everywhere("3"));
    world.at(400, () => void world.push(everywhere("4")));
    world.run(minute);
    expect(promoted(world, "dev").at(-1)).toBe(world.commits.at(-1)?.id);
    expect(world.promotions("dev").map(({ spec }) => spec.candidate)).toEqual(
      world.promotions("dev").map(({ spec }) => spec.number),
    );
  });

  test("check 5: a README commit is not a candidate, and only `head` is written", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    const before = { writes: world.writes.length, candidates: world.pipeline.status?.candidates };
    // With the same tree, no file in the folder has changed.
    world.follow("f".repeat(40), `tree-${first}`);
    world.run(hour);
    expect(world.writes.length).toBe(before.writes);
    // With another tree and the same manifests, the commit is planned, but does not start.
    world.push({});
    world.run(hour);
    expect(world.pipeline.status?.candidates).toEqual(before.candidates);
    expect(world.promotions()).toHaveLength(3);
  });

  test("check 6: a commit that changes only prod does not change dev and staging, and waits only for the gates of prod", () => {
    const world = aShop({ prod: { enter: { approvals: { count: 1 } } } });
    world.push(everywhere("1"));
    world.run(hour);
    world.approve("bob", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(hour);
    const only = world.push({ prod: "2" });
    world.run(minute);
    expect(promoted(world, "dev")).toHaveLength(1);
    expect(promoted(world, "staging")).toHaveLength(1);
    expect(world.stage("prod").next?.revision).toBe(only);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
  });

  const wave = [
    { name: "dev", releases: [{ name: "dev" }] },
    { name: "eu", releases: [{ name: "eu" }], after: ["dev"] },
    { name: "us", releases: [{ name: "us" }], after: ["dev"] },
    { name: "late", releases: [{ name: "late" }], after: ["eu", "us"] },
  ];

  test("check 7: if one Release of a parallel wave fails, no later stage starts, and the other Release is not rolled back", () => {
    const world = new DeliveryWorld({ stages: wave, throughCharts: true });
    world.health.set("us", "Failed");
    const commit = world.push({ dev: "1", eu: "1", us: "1", late: "1" });
    world.run(hour);
    expect(world.stage("us").phase).toBe("Failed");
    expect(world.stage("eu").phase).toBe("Passed");
    expect(world.release("eu").spec.revision).toBe(commit);
    expect(promoted(world, "late")).toEqual([]);
    expect(waitingOf(world, "late")).toContain('has not passed stage "us"');
  });

  const many = Array.from({ length: 10 }, (_, index) => `r${index}`);
  const batches = (batch: number | string) => [
    { name: "prod", batch, releases: many.map((name) => ({ name })), pass: { soak: "1m" } },
  ];
  const all = (text: string) => Object.fromEntries(many.map((name) => [name, text]));
  const pinned = (world: DeliveryWorld, id: string) =>
    many.filter((name) => world.release(name).spec.revision === id);

  test.for([2, "20%"])(
    "check 8: with batches of %s, if the third of 10 fails, the remaining Releases keep their pins and the stage reports why",
    (batch) => {
      const world = new DeliveryWorld({ stages: batches(batch), throughCharts: true });
      const first = world.push(all("1"));
      world.run(hour);
      expect(pinned(world, first)).toEqual(many);
      world.health.set("r2", "Failed");
      const bad = world.push(all("2"));
      world.run(hour);
      expect(pinned(world, bad)).toEqual(["r0", "r1", "r2", "r3"]);
      expect(pinned(world, first)).toEqual(many.slice(4));
      expect(world.stage("prod").promotion?.message).toContain('Release "shop/r2" has failed');
    },
  );

  test("check 8: a batch starts when the previous one is proven", () => {
    const world = new DeliveryWorld({ stages: batches(4), throughCharts: true });
    const commit = world.push(all("1"));
    world.run(30 * second);
    expect(pinned(world, commit)).toEqual(many.slice(0, 4));
    world.run(minute);
    expect(pinned(world, commit)).toEqual(many.slice(0, 8));
    world.run(minute);
    expect(pinned(world, commit)).toEqual(many);
  });

  test("check 9: a status of a Release from before the pin passes no stage", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.releaseMs = 3 * minute;
    world.push(everywhere("2"));
    // The commit is planned and pinned after 3 minutes. `Ready` still describes the commit before.
    world.run(5 * minute);
    expect(promoted(world, "dev")).toHaveLength(2);
    expect(world.release("dev").status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe(
      "True",
    );
    expect(world.promotions("dev").at(-1)?.status).toMatchObject({ phase: "Proving" });
    expect(promoted(world, "staging")).toHaveLength(1);
    world.run(5 * minute);
    expect(promoted(world, "staging")).toHaveLength(2);
  });

  test("check 10: a Promotion continues when its commit no longer exists on the remote", () => {
    const world = aShop();
    const gone = world.push(everywhere("1"));
    world.run(5 * second);
    world.commits.splice(0, 1);
    world.setRefusal("staging", "SourceNotFound");
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([gone]);
    expect(world.stage("staging")).toMatchObject({ phase: "Passed" });
  });

  test("check 10: a stage waits for a commit that was removed from the remote before its deployment, names it, and does not fail", () => {
    const world = aShop();
    const gone = world.push(everywhere("1"));
    world.at(2 * second, () => world.setRefusal("staging", "SourceNotFound"));
    world.run(24 * hour);
    expect(promoted(world, "staging")).toEqual([gone]);
    const [proving] = world.promotions("staging");
    expect(world.stage("staging")).toMatchObject({
      phase: "Proving",
      promotion: { name: proving?.metadata.name },
    });
    expect(proving?.status?.waiting).toContain(
      'Release "shop/staging" is not deployed: it is SourceNotFound',
    );
  });

  test("check 12: a Pipeline with an unknown, repeated or cyclic stage changes nothing", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    const [dev, staging, prod] = threeStages() as [object, object, object];
    for (const [stages, why] of [
      [[dev, { ...staging, after: ["test"] }, prod], '"test", which does not exist'],
      [[{ ...dev, after: ["prod"] }, staging, prod], "come after each other: dev → prod → staging → dev"],
      [
        [dev, { ...staging, releases: [{ name: "dev" }] }, prod],
        'stages "dev" and "staging" have Release "shop/dev"',
      ],
      [[dev, dev, prod], 'the name "dev"'],
    ] as const) {
      world.editStages(stages);
      const { length } = world.writes.filter((write) => !write.includes("status"));
      world.push(everywhere(`${world.commits.length}`));
      world.run(hour);
      expect(world.writes.filter((write) => !write.includes("status"))).toHaveLength(length);
      expect(JSON.stringify(world.pipeline.status)).toContain("SpecInvalid");
      expect(
        (world.pipeline.status as { verdict?: { message?: string } } | undefined)?.verdict?.message,
      ).toContain(why);
    }
    world.editStages(threeStages());
    world.run(hour);
    expect(world.stage("prod").phase).toBe("Passed");
  });
});
