import { describe, expect, test } from "vitest";
import type { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, job, minute, promoted, second, threeStages } from "./stages.ts";

describe("the cost of a Pipeline", () => {
  test("check 47: an idle Pipeline writes nothing and schedules no reconcile", () => {
    const world = aShop({ staging: { pass: { soak: "10m", verify: [job()] } } });
    world.push(everywhere("1"));
    world.run(hour);
    const { length } = world.writes;
    world.run(48 * hour);
    expect(world.writes).toHaveLength(length);
    expect(world.nextWakeMs).toBe(Number.POSITIVE_INFINITY);
    // After a restart, all objects are read, but none is written.
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
      // One apply for the plan, and one for the pin.
      expect(of(`apply Release/${stage}`)).toHaveLength(2);
    }
    expect(of("create")).toHaveLength(3);
  });

  test("check 48: a promotion is two status writes, with an approval or a soak too", () => {
    const world = aShop({ staging: { pass: { soak: "0s" } }, prod: { enter: { approvals: {} } } });
    world.push(everywhere("1"));
    world.run(hour);
    const statusWrites = () =>
      world.writes.splice(0).flatMap((write) => /status (?<of>\w+)/.exec(write)?.groups?.["of"] ?? []);
    statusWrites();
    world.push(everywhere("2"));
    world.run(hour);
    // The commit, its candidate, dev, and staging.
    expect(statusWrites()).toEqual(["Pipeline", "Pipeline", "Promotion", "Promotion", "Pipeline"]);
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(hour);
    expect(statusWrites()).toEqual(["Promotion", "Pipeline"]);
    world.editStages(threeStages({ staging: { pass: { soak: "0s" } }, prod: { pass: { soak: "10m" } } }));
    world.run(hour);
    statusWrites();
    world.push({ ...everywhere("2"), prod: "3" });
    world.run(hour);
    expect(statusWrites().slice(2)).toEqual(["Promotion", "Pipeline"]);
  });

  /** Status writes of Pipelines and Promotions since the last call. */
  const statusesOf = (world: DeliveryWorld): readonly string[] =>
    world.writes.splice(0).flatMap((write) => /status (?<of>\w+)/.exec(write)?.groups?.["of"] ?? []);

  test("check 48: promotions through three stages with a soak are two status writes each", () => {
    const pass = { pass: { soak: "10m" } };
    const world = aShop({ dev: pass, staging: pass, prod: pass });
    world.push(everywhere("1"));
    world.run(hour);
    statusesOf(world);
    world.push(everywhere("2"));
    world.run(10 * second);
    // The commit, and its candidate. The second status also contains the Promotion that starts.
    expect(statusesOf(world)).toEqual(["Pipeline", "Pipeline"]);
    const commit = world.commits[1]?.id;
    const message = `dev proves ${commit?.slice(0, 12)} (shop-dev-2): must be healthy for 10m`;
    expect(world.pipeline.status).toMatchObject({ verdict: { status: "InProgress", message } });
    expect(world.stage("dev")).toMatchObject({ phase: "Proving", promotion: { name: "shop-dev-2" } });
    world.run(hour);
    expect(promoted(world, "prod").at(-1)).toBe(commit);
    const writes = statusesOf(world);
    expect(writes.filter((one) => one === "Promotion")).toHaveLength(3);
    expect(writes.filter((one) => one === "Pipeline")).toHaveLength(3);
  });

  test("check 48: a rollout of three Releases that become healthy one after another is two status writes", () => {
    const names = ["staging", "second", "third"];
    const world = aShop({ staging: { releases: names.map((name) => ({ name })), pass: {} } });
    const content = (text: string) => ({ ...everywhere(text), second: text, third: text });
    world.push(content("1"));
    world.run(hour);
    statusesOf(world);
    for (const name of names) world.setHealth(name, "Progressing");
    world.push(content("2"));
    for (const name of names) {
      world.run(15 * second);
      world.setHealth(name, "Healthy");
    }
    world.run(hour);
    // The commit, its candidate, the outcome of dev; then one of each for three stages, with one write for the last two Pipelines.
    const writes = statusesOf(world);
    expect(writes.filter((one) => one === "Promotion")).toHaveLength(3);
    expect(writes.filter((one) => one === "Pipeline")).toHaveLength(4);
  });

  test("check 48: a Promotion says after 20 seconds which Release is in its way, and what it waits for then", () => {
    const world = aShop({ staging: { pass: { soak: "10m" } } });
    world.setHealth("staging", "Progressing");
    world.push(everywhere("1"));
    const waiting = () => world.promotions("staging")[0]?.status?.waiting;
    world.run(15 * second);
    expect(waiting()).toBeUndefined();
    world.run(10 * second);
    expect(waiting()).toBe('Release "shop/staging" is not healthy: pod is Progressing');
    world.setHealth("staging", "Healthy");
    world.run(minute);
    expect(waiting()).toMatch(/^soaking for 10m, until /);
  });

  test("a status says that a gate has opened when what starts takes longer than 20 seconds", () => {
    const world = aShop({ staging: { pass: {} }, prod: { enter: { approvals: {} }, pass: { soak: "10m" } } });
    world.push(everywhere("1"));
    world.run(hour);
    statusesOf(world);
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(15 * second);
    expect(statusesOf(world)).toEqual([]);
    world.run(10 * second);
    expect(statusesOf(world)).toEqual(["Pipeline"]);
    expect(world.stage("prod")).toMatchObject({ phase: "Proving", promotion: { name: "shop-prod-1" } });
    world.run(hour);
    expect(statusesOf(world)).toEqual(["Promotion", "Pipeline"]);
  });

  test("the slot of a stage says until when it is taken", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(5 * minute);
    world.push(everywhere("2"));
    world.run(minute);
    expect(world.stage("staging").waiting).toMatchObject([
      { gate: "Slot", until: expect.stringMatching(/^2026-01-01T00:11:/) },
    ]);
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
