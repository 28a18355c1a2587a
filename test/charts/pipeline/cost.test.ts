import { describe, expect, test } from "vitest";
import { aShop, everywhere, hour, job, minute, threeStages } from "./stages.ts";

describe("the cost of a Pipeline", () => {
  test("check 47: an idle Pipeline writes nothing and schedules no reconcile", () => {
    const world = aShop({ staging: { pass: { soak: "10m", verify: [job()] } } });
    world.push(everywhere("1"));
    world.run(hour);
    const { length } = world.writes;
    world.run(48 * hour);
    expect(world.writes).toHaveLength(length);
    expect(world.nextWakeMs).toBe(Number.POSITIVE_INFINITY);
    // After a restart everything is read, and nothing written.
    world.restart();
    world.run(hour);
    expect(world.writes).toHaveLength(length);
  });

  test("check 47: nothing is written during a soak", () => {
    const world = aShop({ staging: { pass: { soak: "2h" } } });
    world.push(everywhere("1"));
    world.run(minute);
    const { length } = world.writes;
    world.run(hour);
    expect(world.writes).toHaveLength(length);
  });

  test("check 48: a promotion is one create, and one apply for each Release", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.writes.splice(0);
    world.push(everywhere("2"));
    world.run(hour);
    const of = (what: string) => world.writes.filter((write) => write.includes(what));
    for (const stage of ["dev", "staging", "prod"]) {
      expect(of(`create Promotion/shop-${stage}-2`)).toHaveLength(1);
      // One for the plan, and one for the pin.
      expect(of(`apply Release/${stage}`)).toHaveLength(2);
    }
    expect(of("create")).toHaveLength(3);
  });

  test("check 48: a promotion is two status writes, with an approval too, and a soak is two more", () => {
    const world = aShop({ staging: { pass: { soak: "0s" } }, prod: { enter: { approvals: {} } } });
    world.push(everywhere("1"));
    world.run(hour);
    const statusWrites = () =>
      world.writes.splice(0).flatMap((write) => /status (?<of>\w+)/.exec(write)?.groups?.["of"] ?? []);
    statusWrites();
    world.push(everywhere("2"));
    world.run(hour);
    // The commit and its candidate, then dev, then staging.
    expect(statusWrites()).toEqual(["Pipeline", "Pipeline", "Promotion", "Promotion", "Pipeline"]);
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(hour);
    expect(statusWrites()).toEqual(["Promotion", "Pipeline"]);
    world.editStages(threeStages({ staging: { pass: { soak: "0s" } }, prod: { pass: { soak: "10m" } } }));
    world.run(hour);
    statusWrites();
    world.push({ ...everywhere("2"), prod: "3" });
    world.run(hour);
    expect(statusWrites().slice(2)).toEqual(["Pipeline", "Promotion", "Promotion", "Pipeline"]);
  });

  test("check 48: when the last gate opens the pin is set at once", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    world.push(everywhere("1"));
    world.run(hour);
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(0);
    expect(world.release("prod").spec.revision).toBe(world.commits[0]?.id);
  });

  test("check 49: every stage that waits reports the closed gate, why it is closed, and until when", () => {
    const world = aShop({
      staging: {
        pass: { soak: "10m" },
        enter: { windows: [{ allow: { cron: "0 12 * * *", duration: "1h" } }] },
      },
      prod: { enter: { approvals: { count: 2, groups: ["sre"] } } },
    });
    world.push(everywhere("1"));
    world.run(minute);
    expect(world.stage("staging").waiting).toMatchObject([
      { gate: "Windows", until: "2026-01-01T12:00:00Z" },
    ]);
    expect(world.stage("prod").waiting).toMatchObject([
      { gate: "Order", message: expect.stringContaining('has not passed stage "staging"') },
    ]);
    expect(world.pipeline.status?.conditions).toMatchObject([
      {
        type: "Waiting",
        reason: "Windows",
        message: expect.stringContaining("(until 2026-01-01T12:00:00Z)"),
      },
    ]);
    world.run(13 * hour);
    expect(world.stage("prod").waiting).toMatchObject([
      { gate: "Approvals", message: expect.stringContaining("0 of 2 approvals from sre") },
    ]);
  });
});
