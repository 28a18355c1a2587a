import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, job, minute, promoted, second, waitingOf } from "./stages.ts";

const approvals = { enter: { approvals: { count: 1 } } };

/** A world whose prod runs the second of two commits. */
function withHistory(stages: Parameters<typeof aShop>[0] = {}) {
  const world = aShop(stages);
  const first = world.push(everywhere("1"));
  world.run(hour);
  const second_ = world.push(everywhere("2"));
  world.run(hour);
  expect(promoted(world, "prod")).toEqual([first, second_]);
  return { world, first, second: second_ };
}

describe("a rollback with hold", () => {
  test("check 24: prod is held, staging proves newer candidates, and the newest that passed starts when the hold ends", () => {
    const { world, first, second: latest } = withHistory();
    world.request("back", { stage: "prod", revision: first, hold: true, by: "ann", reason: "errors" });
    world.run(minute);
    expect(world.release("prod").spec.revision).toBe(first);
    expect(world.stage("prod").phase).toBe("Held");
    const third = world.push(everywhere("3"));
    world.run(hour);
    const fourth = world.push(everywhere("4"));
    world.run(hour);
    expect(promoted(world, "staging")).toEqual([first, latest, third, fourth]);
    expect(world.release("prod").spec.revision).toBe(first);
    expect(waitingOf(world, "prod")).toContain('held by ann: errors; delete Promotion "back" to continue');
    world.remove("Promotion", "back");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, latest, first, fourth]);
  });

  test("check 24: a digest that has passed needs only health, and no second soak", () => {
    const { world, first } = withHistory({ prod: { pass: { soak: "10m" } } });
    world.request("back", { stage: "prod", revision: first, by: "ann" });
    world.run(10 * second);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { provenBy: "shop-prod-1", attempt: 2 },
      status: { phase: "Passed" },
    });
  });

  test("check 24: it waits for the gates of its stage unless it bypasses them", () => {
    const { world, first } = withHistory();
    world.editStages([
      ...world.pipeline.spec.stages.slice(0, 2),
      { ...world.pipeline.spec.stages[2], ...approvals },
    ]);
    world.request("back", { stage: "prod", revision: first, by: "ann" });
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
    expect(world.objects.find("Promotion", "back")?.["status"]).toMatchObject({
      phase: "Requested",
      waiting: expect.stringContaining("0 of 1 approvals"),
    });
    world.request("now", {
      stage: "prod",
      revision: first,
      by: "ann",
      reason: "errors",
      bypass: ["Approvals"],
    });
    world.run(minute);
    expect(world.release("prod").spec.revision).toBe(first);
    // The earlier request is not started later.
    world.run(hour);
    expect(promoted(world, "prod")).toHaveLength(3);
    expect(world.objects.find("Promotion", "now")?.["status"]).toMatchObject({
      phase: "Passed",
      startedAs: "shop-prod-3",
    });
  });

  test("continues with the digest that was running when nothing newer has passed", () => {
    const { world, first, second: latest } = withHistory();
    world.request("back", { stage: "prod", revision: first, hold: true, by: "ann", reason: "errors" });
    world.run(minute);
    world.remove("Promotion", "back");
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(latest);
  });
});

describe("an automatic rollback", () => {
  const rollBack = { pass: { soak: "1m", verify: [job()] }, onFailure: "RollBack" };

  test("check 25: it runs once, does not alternate, and the failed digest is not retried automatically", () => {
    const { world, first, second: good } = withHistory({ prod: rollBack });
    const bad = world.push(everywhere("3"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.run(24 * hour);
    expect(promoted(world, "prod")).toEqual([first, good, bad, good]);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { rollback: true },
      status: { phase: "Passed" },
    });
    expect(world.release("prod").spec.revision).toBe(good);
    const fix = world.push(everywhere("4"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, good, bad, good, fix]);
  });

  test("check 25: a failed rollback is not rolled back again", () => {
    const { world, second: good } = withHistory({ prod: rollBack });
    const bad = world.push(everywhere("3"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.at(10 * minute + 20 * second, () => world.setHealth("prod", "Failed"));
    world.run(24 * hour);
    expect(promoted(world, "prod").slice(2)).toEqual([bad, good]);
    expect(world.stage("prod").phase).toBe("Failed");
  });

  test("leaves the candidate to be asked for again if an upgraded operator renders it differently", () => {
    const { world } = withHistory({ prod: { onFailure: "RollBack" } });
    const [dev, staging, prod] = world.pipeline.spec.stages;
    world.editStages([dev, staging, { ...prod, ...approvals }] as object[]);
    const approve = (by: string) =>
      world.approve(by, { stage: "prod", digest: world.stage("prod").next?.digest });
    const third = world.push(everywhere("3"));
    world.run(hour);
    world.onCreate = ({ stage }) => {
      if (stage === "prod" && world.version === "1") world.upgrade("2");
    };
    approve("bob");
    world.run(3 * hour);
    expect(world.promotions("prod").at(-1)?.spec.rollback).toBe(true);
    expect(world.stage("prod").next?.revision).toBe(third);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
    approve("cleo");
    world.run(hour);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: third } });
  });

  test("does not wait for a user's request whose gates are closed", () => {
    const { world, second: good } = withHistory({ prod: rollBack });
    const bad = world.push(everywhere("3"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.request("typo", { stage: "prod", revision: "e".repeat(40), by: "ann" });
    world.run(hour);
    expect(promoted(world, "prod")).not.toContain(bad);
    expect(waitingOf(world, "prod")).toContain("its digests are not known; delete it to continue");
    world.remove("Promotion", "typo");
    world.run(10 * second);
    expect(promoted(world, "prod").at(-1)).toBe(bad);
    world.request("typo-again", { stage: "prod", revision: "e".repeat(40), by: "ann" });
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(good);
    expect(world.promotions("prod").at(-1)).toMatchObject({ spec: { rollback: true } });
  });

  test("check 25: a user may request the failed digest again", () => {
    const { world } = withHistory({ prod: rollBack });
    const bad = world.push(everywhere("3"));
    world.jobOutcome = ({ revision }) => (revision === bad ? "Failed" : "Complete");
    world.run(hour);
    world.jobOutcome = () => "Complete";
    world.request("again", { stage: "prod", revision: bad, by: "ann" });
    world.run(hour);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { revision: bad, attempt: 2 },
      status: { phase: "Passed" },
    });
  });
});

describe("a hotfix", () => {
  const hotfix = { stage: "prod", by: "ann", reason: "outage", bypass: ["Order"] };

  test("check 26: is deployed directly to prod, and is reported as unproven until earlier stages have passed it", () => {
    const { world } = withHistory();
    const fix = world.push(everywhere("fix"));
    world.run(2 * second);
    world.request("fix", { ...hotfix, revision: fix });
    world.run(minute);
    expect(world.release("prod").spec.revision).toBe(fix);
    expect(promoted(world, "staging").at(-1)).toBe(fix);
    expect(world.stage("prod").promotion).toMatchObject({ unproven: ["staging"] });
    world.run(hour);
    expect(world.stage("prod").promotion).not.toHaveProperty("unproven");
    expect(promoted(world, "prod")).toHaveLength(3);
  });

  test("check 26: without the bypass it waits for the earlier stages", () => {
    const { world } = withHistory();
    const fix = world.push(everywhere("fix"));
    world.run(2 * second);
    world.request("fix", { ...hotfix, bypass: [], revision: fix });
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(fix);
  });

  test("does not start a commit that was not planned, nor another digest than the requested one", () => {
    const { world, first } = withHistory();
    world.request("fix", { ...hotfix, revision: "f".repeat(40) });
    world.run(minute);
    expect(waitingOf(world, "prod")).toContain("which is not a candidate and has not run in this stage");
    world.request("wrong", { ...hotfix, revision: first, digest: "0".repeat(32) });
    world.run(minute);
    expect(waitingOf(world, "prod")).toContain(`requests digest ${"0".repeat(32)}`);
    expect(waitingOf(world, "prod")).toMatch(
      new RegExp(
        `now: the inputs or the operator have changed; delete it to continue\\. To deploy the commit as it renders now: fairlead promote shop/shop prod ${first} --bypass Order --reason TEXT$`,
      ),
    );
  });
});

describe("a pin by another field manager", () => {
  test("check 27: the Pipeline does not override it; after its removal the Pipeline sets its pin again, and never the branch's head", () => {
    const { world, first, second: own } = withHistory();
    world.pinByHand("prod", first);
    world.run(minute);
    expect(waitingOf(world, "prod")).toBe("");
    expect(world.stage("prod").problems).toEqual([
      expect.stringContaining('Release "shop/prod" is pinned to'),
    ]);
    expect(world.conflicts.at(-1)).toBe('Release/prod spec.revision: conflict with "kubectl"');
    const third = world.push(everywhere("3"));
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(first);
    expect(promoted(world, "staging").at(-1)).toBe(third);
    expect(gatesOf(world, "prod")).toContain("Releases");
    world.pinByHand("prod", undefined);
    world.run(5 * second);
    expect(world.writes.findLast((write) => write.includes("apply Release/prod"))).toBeDefined();
    world.run(hour);
    expect([own, third]).toContain(world.release("prod").spec.revision);
  });
});
