import { describe, expect, test } from "vitest";
import { takesHours } from "../../long.ts";
import { DeliveryWorld } from "./delivery-world.ts";
import { Killed } from "./simulated-operator.ts";
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

describe("faults", () => {
  /** The results of three commits. `killAt`: the operator is killed before or after this write. */
  function runThree(killAt?: { readonly write: number; readonly isAfter: boolean }) {
    const stages = threeStages({
      staging: { pass: { soak: "1m", verify: [job()] } },
      prod: { onFailure: "RollBack" },
    });
    const world = new DeliveryWorld({ stages });
    world.jobOutcome = ({ candidate }) => (candidate === 2 ? "Failed" : "Complete");
    let writes = 0;
    world.onWrite = () => {
      writes++;
      const isHere = killAt !== undefined && writes === killAt.write;
      if (!isHere) return;
      if (killAt.isAfter) world.at(0, () => world.restart());
      else throw new Killed();
    };
    for (const text of ["1", "bad", "3"]) {
      world.push(everywhere(text));
      world.run(2.5 * minute);
    }
    const created = [...world.objects.list("Promotion"), ...world.objects.list("Job")];
    return {
      writes,
      names: created
        .map(({ kind, metadata }) => `${kind}/${metadata.name}`.replace(/-[0-9a-f]{8}$/, ""))
        .toSorted(),
      outcomes: world
        .promotions()
        .map(({ spec, status }) => `${spec.stage} ${spec.revision.at(-1)} ${status?.phase}`),
      pins: ["dev", "staging", "prod"].map((name) => world.release(name).spec.revision?.at(-1)),
    };
  }

  test(
    "check 31: when the operator is killed before and after every write, the result is that of an uninterrupted run",
    () => {
      const undisturbed = runThree();
      expect(undisturbed).toMatchObject({
        pins: ["3", "3", "3"],
        outcomes: expect.arrayContaining(["staging 2 Failed", "prod 3 Passed"]),
      });
      const { writes: count, ...expected } = undisturbed;
      expect(count).toBeGreaterThan(30);
      // At every write in `npm run test:long`, and at every seventh one otherwise.
      for (let write = 1; write <= count; write += takesHours ? 1 : 7) {
        for (const isAfter of [false, true]) {
          const { writes: _, ...disturbed } = runThree({ write, isAfter });
          expect(disturbed, `killed ${isAfter ? "after" : "before"} write ${write}`).toEqual(expected);
        }
      }
    },
    takesHours ? 600_000 : 60_000,
  );

  test("check 33: a candidate that has passed stays passed when the clock is set back an hour, and later ones still pass", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(12 * minute);
    expect(promoted(world, "prod")).toEqual([first]);
    world.nowMs -= hour;
    world.restart();
    world.run(minute);
    expect(world.promotions().map(({ status }) => status?.phase)).toEqual(["Passed", "Passed", "Passed"]);
    const next = world.push(everywhere("2"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, next]);
  });

  test("check 34: when the operator is down for half of a soak, the soak restarts if a workload was unhealthy meanwhile, and counts otherwise", () => {
    for (const isIll of [false, true]) {
      const world = aShop();
      world.push(everywhere("1"));
      world.run(3 * minute);
      // The Release itself decides about the time without observation; see status.deployed.healthySince.
      if (isIll) {
        world.setHealth("staging", "Progressing");
        world.at(3 * minute, () => world.setHealth("staging", "Healthy"));
      }
      world.run(5 * minute);
      world.restart();
      world.run(4 * minute);
      expect(promoted(world, "prod")).toHaveLength(isIll ? 0 : 1);
      world.run(10 * minute);
      expect(promoted(world, "prod")).toHaveLength(1);
    }
  });

  test("a candidate that an upgraded operator renders differently during a soak is proven again at once, stage by stage", () => {
    const world = aShop();
    const commit = world.push(everywhere("1"));
    world.run(5 * minute);
    world.upgrade("2");
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([commit, commit]);
    expect(world.promotions("staging").map(({ spec, status }) => [spec.revision, status?.phase])).toEqual([
      [commit, "Superseded"],
      // A Promotion that only soaks has no status.
      [commit, undefined],
    ]);
    const [, second] = world.promotions("staging");
    expect(world.stage("staging")).toMatchObject({
      phase: "Proving",
      promotion: { name: second?.metadata.name },
    });
    world.run(9 * minute);
    expect(promoted(world, "prod")).toEqual([]);
    world.run(2 * minute);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: commit } });
  });

  test("check 35: a pod that crashes in minute 9 of 10 restarts the soak, and the message names the Release", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(9 * minute);
    world.setHealth("staging", "Progressing");
    world.run(30 * second);
    const [proving] = world.promotions("staging");
    expect(world.stage("staging").promotion?.name).toBe(proving?.metadata.name);
    expect(proving?.status?.waiting).toBe('Release "shop/staging" is not healthy: pod is Progressing');
    world.setHealth("staging", "Healthy");
    world.run(9 * minute);
    expect(promoted(world, "prod")).toEqual([]);
    world.run(2 * minute);
    expect(promoted(world, "prod")).toHaveLength(1);
  });

  test("check 36: while the remote is unavailable stages with known candidates continue, and no stage fails", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    const commit = world.push(everywhere("1"));
    world.run(5 * minute);
    world.source = { state: "failed", reason: "SourceUnreachable", message: "no route to host" };
    for (const name of ["dev", "staging", "prod"]) world.setRefusal(name, "SourceUnreachable");
    world.run(24 * hour);
    expect(world.stage("staging").phase).toBe("Passed");
    world.approve("ann", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(24 * hour);
    expect(world.stage("prod").phase).toBe("Proving");
    world.setRefusal("prod", undefined);
    world.run(minute);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: commit } });
  });

  const verified = { staging: { pass: { verify: [job("e2e", { timeout: "5m" })] } } };

  test("check 37: a Job whose image cannot be pulled fails at its timeout", () => {
    const world = aShop(verified);
    world.jobOutcome = () => "Pending";
    world.push(everywhere("1"));
    world.run(5 * minute);
    expect(world.stage("staging").phase).toBe("Proving");
    world.run(minute);
    expect(world.promotions("staging")[0]?.status).toMatchObject({
      phase: "Failed",
      reason: "VerificationFailed",
      message: expect.stringContaining("DeadlineExceeded"),
    });
    expect(promoted(world, "prod")).toEqual([]);
  });

  test("check 37: a Job that is deleted after its success was recorded counts, also during the soak", () => {
    const world = aShop({ staging: { pass: { soak: "10m", verify: [job()] } } });
    world.push(everywhere("1"));
    world.run(2 * minute);
    const [found] = world.objects.list("Job");
    expect(world.promotions("staging")[0]?.status?.verifications).toMatchObject([
      { name: "e2e", outcome: "Passed" },
    ]);
    world.remove("Job", found?.metadata.name ?? "");
    world.run(10 * minute);
    expect(world.objects.list("Job")).toEqual([]);
    expect(world.stage("staging").phase).toBe("Passed");
  });

  test("check 37: a Job that is deleted while it runs is run again", () => {
    const world = aShop(verified);
    world.push(everywhere("1"));
    world.run(10 * second);
    const [first] = world.objects.list("Job");
    world.remove("Job", first?.metadata.name ?? "");
    world.run(25 * second);
    expect(world.objects.list("Job").map(({ metadata }) => metadata.uid)).not.toEqual([first?.metadata.uid]);
    expect(world.stage("staging").phase).toBe("Proving");
    world.run(30 * second);
    expect(world.stage("staging").phase).toBe("Passed");
  });

  test("check 38: when a re-verification fails, stages that have not started the commit do not start it, and those that run it keep it", () => {
    const stages = [
      ...threeStages({ staging: { pass: { verify: [job()] } } }),
      { name: "late", after: ["staging"], releases: [{ name: "late" }], enter: { approvals: {} } },
    ];
    const world = new DeliveryWorld({ stages, throughCharts: true });
    const commit = world.push({ ...everywhere("1"), late: "1" });
    world.run(hour);
    expect(gatesOf(world, "late")).toEqual(["Approvals"]);
    world.jobOutcome = () => "Failed";
    world.request("check", { stage: "staging", revision: commit, by: "ann" });
    world.run(hour);
    expect(world.promotions("staging")).toMatchObject([
      { status: { phase: "Passed" } },
      { status: { phase: "Failed" } },
    ]);
    expect(waitingOf(world, "late")).toContain('has not passed stage "staging"');
    expect(world.release("prod").spec.revision).toBe(commit);
    expect(world.stage("prod").phase).toBe("Passed");
  });

  test("a stage with a permanently refused Release fails at its timeout, and one that waits for its Release does not", () => {
    const world = aShop({ staging: { pass: { timeout: "30m" } } });
    world.setRefusal("staging", "ApplyRejected");
    world.push(everywhere("1"));
    world.run(hour);
    expect(world.promotions("staging")[0]?.status).toMatchObject({
      reason: "TimedOut",
      message: expect.stringContaining("ApplyRejected"),
    });
    const waiting = aShop({ staging: { pass: { timeout: "30m" } } });
    waiting.setRefusal("staging", "ApplyFailed");
    waiting.push(everywhere("1"));
    waiting.run(24 * hour);
    expect(waiting.stage("staging").phase).toBe("Proving");
  });
});
