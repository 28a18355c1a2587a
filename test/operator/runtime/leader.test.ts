import { describe, expect, test } from "vitest";
import { NotLeadingError } from "../../../operator/errors.ts";
import { NoElection } from "../../../operator/runtime/election.ts";
import { aLeaseServer, anInstance } from "../../fakes/election-instance.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";

const secondsFrom = (startMs: number, clock: FakeClock): number => (clock.now() - startMs) / 1_000;

describe("LeaderElector", () => {
  test("creates the lease, leads, and renews with one PUT every 2 s", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, status } = anInstance("a", server, clock);
    expect(() => elector.fence.check()).toThrow(NotLeadingError);
    elector.start();
    await elector.elected;
    expect(elector.isLeading).toBe(true);
    expect(elector.term).toEqual({ leaseUid: "uid-1", transitions: 0 });
    expect(server.spec).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });

    await clock.advance(60_000);
    expect(server.requests.slice(0, 2).map(({ verb }) => verb)).toEqual(["get", "create"]);
    expect(server.requests.slice(2)).toHaveLength(30);
    expect(server.requests.slice(2).every(({ verb }) => verb === "replace")).toBe(true);
    expect(server.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:01:00.000000Z",
      leaseTransitions: 0,
    });
    expect(() => elector.fence.check()).not.toThrow();
    expect(status).toEqual([true]);
  });

  test("keeps other fields that others wrote into the lease", async () => {
    const { server, clock } = aLeaseServer();
    server.put({ holderIdentity: "", leaseTransitions: 4, strategy: "OldestEmulationVersion" });
    const { elector } = anInstance("a", server, clock);
    elector.start();
    await elector.elected;
    await clock.advance(2_000);
    expect(server.spec).toMatchObject({ leaseTransitions: 5, strategy: "OldestEmulationVersion" });
  });

  test.for([
    { random: 0, everyMs: 2_000 },
    { random: 0.999_999, everyMs: 4_400 },
  ])("a candidate tries again after 2.0 to 4.4 s: $everyMs ms", async ({ random, everyMs }) => {
    const { server, clock } = aLeaseServer();
    const leader = anInstance("leader", server, clock);
    leader.elector.start();
    await clock.settle();
    anInstance("rival", server, clock, random).elector.start();
    await clock.advance(20_000);
    const tries = server.requests.filter(({ by }) => by === "rival").map(({ atMs }) => Math.round(atMs));
    expect(tries.slice(0, 3)).toEqual([0, everyMs, 2 * everyMs]);
  });

  test("a leader that stops releases the lease, and its rival leads within 4.4 s (case 36)", async () => {
    const { server, clock } = aLeaseServer();
    const leader = anInstance("leader", server, clock);
    leader.elector.start();
    await clock.settle();
    const rival = anInstance("rival", server, clock, 0.999);
    rival.elector.start();
    await clock.advance(31_300);

    await leader.elector.stop();
    expect(server.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(() => leader.elector.fence.check()).toThrow(NotLeadingError);
    expect(leader.stopped).toEqual(["stopped"]);
    expect(leader.status).toEqual([true, false]);
    const stoppedAtMs = clock.now();
    expect(await clock.advanceUntil(() => rival.elector.isLeading)).toBe(true);
    expect(secondsFrom(stoppedAtMs, clock)).toBeLessThanOrEqual(4.4);
    expect(server.spec).toMatchObject({
      holderIdentity: "rival",
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
    });
  });

  test("after a conflict while releasing, the lease is read and released again (case 37)", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.conflicts = 2;
    const stopped = elector.stop();
    await clock.advance(1_000);
    await stopped;
    expect(server.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  });

  test("stops trying to release at the renew deadline", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.isCut = true;
    let hasEnded = false;
    void elector.stop().then(() => {
      hasEnded = true;
    });
    await clock.advance(9_000);
    expect(hasEnded).toBe(false);
    await clock.advance(1_000);
    expect(hasEnded).toBe(true);
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("does not release a lease that another instance holds", async () => {
    const { server, clock } = aLeaseServer();
    const { elector } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    server.put({ ...server.spec, holderIdentity: "b", leaseTransitions: 1 });
    await elector.stop();
    expect(server.spec.holderIdentity).toBe("b");
  });

  test("two candidates that create the lease at the same time: one leads, the other waits", async () => {
    const { server, clock } = aLeaseServer();
    const [a, b] = [anInstance("a", server, clock), anInstance("b", server, clock)];
    a.elector.start();
    b.elector.start();
    await clock.advance(30_000);
    expect([a.elector.isLeading, b.elector.isLeading]).toEqual([true, false]);
    expect(server.spec.leaseTransitions).toBe(0);
  });

  test("a candidate that stops never leads, writes nothing, and reports it", async () => {
    const { server, clock } = aLeaseServer();
    anInstance("leader", server, clock).elector.start();
    await clock.settle();
    const { elector, stopped } = anInstance("candidate", server, clock);
    elector.start();
    await clock.advance(5_000);
    await elector.stop();
    await clock.advance(60_000);
    expect(stopped).toEqual(["stopped"]);
    expect(server.requests.some(({ by, verb }) => by === "candidate" && verb !== "get")).toBe(false);
  });

  test("a candidate that stops while it acquires the lease releases it in case the request succeeded", async () => {
    const { server, clock } = aLeaseServer();
    server.put({ holderIdentity: "", leaseTransitions: 2 });
    const { elector, line } = anInstance("a", server, clock);
    line.delayMs = 1_000;
    elector.start();
    await clock.advance(1_500);
    expect(server.spec.holderIdentity).toBe("a");
    const stopped = elector.stop();
    await clock.advance(5_000);
    await stopped;
    expect(elector.isLeading).toBe(false);
    expect(server.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 3 });
  });

  test("refuses an empty identity", () => {
    const { server, clock } = aLeaseServer();
    expect(() => anInstance("", server, clock)).toThrow("the identity must not be empty");
  });
});

describe("NoElection", () => {
  test("always leads", async () => {
    const election = new NoElection();
    await election.elected;
    election.start();
    election.fence.check();
    election.checkRenewal();
    expect(election.isLeading).toBe(true);
    expect(election.term).toBeUndefined();
    await election.stop();
  });
});
