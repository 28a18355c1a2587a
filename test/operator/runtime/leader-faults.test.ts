import { describe, expect, test } from "vitest";
import { NotLeadingError } from "../../../operator/errors.ts";
import type { Clock } from "../../../operator/ports.ts";
import { aLeaseServer, anInstance } from "../../fakes/election-instance.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";

const secondsFrom = (startMs: number, clock: FakeClock): number => (clock.now() - startMs) / 1_000;

describe("LeaderElector, with faults", () => {
  test.for([{ skewHours: 1 }, { skewHours: -1 }])(
    "a rival whose clock is $skewHours h off acquires the lease only 15 s after it last observed a change (case 34)",
    async ({ skewHours }) => {
      const { server, clock } = aLeaseServer();
      const leader = anInstance("leader", server, clock);
      leader.elector.start();
      await clock.advance(7_000);
      const skewed: Clock = {
        now: () => clock.now(),
        wallClock: () => new Date(clock.wallClock().getTime() + skewHours * 3_600_000),
        schedule: (delayMs, callback) => clock.schedule(delayMs, callback),
      };
      const rival = anInstance("rival", server, skewed);
      rival.elector.start();
      await clock.advance(600_000);
      expect(rival.elector.isLeading).toBe(false);
      expect(leader.elector.isLeading).toBe(true);

      leader.line.isCut = true;
      const cutAtMs = clock.now();
      expect(await clock.advanceUntil(() => rival.elector.isLeading)).toBe(true);
      expect(secondsFrom(cutAtMs, clock)).toBeGreaterThanOrEqual(13);
      expect(secondsFrom(cutAtMs, clock)).toBeLessThanOrEqual(23.8);
      expect(server.spec.leaseTransitions).toBe(1);
    },
  );

  test.for([0, 0.25, 0.5, 0.75, 0.999])(
    "a disconnected leader writes nothing after 12 s; its rival leads after 13 to 23.8 s (case 35, %d)",
    async (random) => {
      const { server, clock } = aLeaseServer();
      const leader = anInstance("leader", server, clock);
      leader.elector.start();
      await clock.settle();
      const rival = anInstance("rival", server, clock, random);
      rival.elector.start();
      await clock.advance(31_300);

      leader.line.isCut = true;
      const cutAtMs = clock.now();
      const lastRenewalMs =
        server.requests.findLast(({ by, verb }) => by === "leader" && verb === "replace")?.atMs ?? 0;
      await clock.advance(lastRenewalMs + 9_999 - cutAtMs);
      expect(() => leader.elector.fence.check()).not.toThrow();
      await clock.advance(1);
      expect(() => leader.elector.fence.check()).toThrow(NotLeadingError);
      expect(leader.elector.isLeading).toBe(false);

      expect(await clock.advanceUntil(() => leader.stopped.length > 0)).toBe(true);
      expect(leader.stopped).toEqual(["lost"]);
      expect(clock.now() - lastRenewalMs).toBeLessThanOrEqual(12_000);
      expect(rival.elector.isLeading).toBe(false);
      expect(await clock.advanceUntil(() => rival.elector.isLeading)).toBe(true);
      expect(secondsFrom(cutAtMs, clock)).toBeGreaterThanOrEqual(13);
      expect(secondsFrom(cutAtMs, clock)).toBeLessThanOrEqual(23.8);

      // The instance that lost the lease stays out, also when the connection is back, and takes nothing from the winner.
      leader.line.isCut = false;
      await leader.elector.stop();
      await clock.advance(60_000);
      expect(rival.elector.isLeading).toBe(true);
      expect(leader.elector.isLeading).toBe(false);
      expect(server.spec.holderIdentity).toBe("rival");
    },
  );

  test("an instance that lost the lease does not release it: its last request may still arrive", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.isCut = true;
    await clock.advance(20_000);
    line.isCut = false;
    await elector.stop();
    expect(stopped).toEqual(["lost"]);
    expect(server.spec.holderIdentity).toBe("a");
  });

  test("an instance that no longer renews sends nothing, and leaves the lease to expire", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    elector.stopRenewing();
    expect(() => elector.fence.check()).toThrow(NotLeadingError);
    const before = server.requests.length;
    await clock.advance(60_000);
    await elector.stop();
    expect(server.requests.length).toBe(before);
    expect(stopped).toEqual(["stopped"]);
    expect(server.spec.holderIdentity).toBe("a");
  });

  test("stops leading at once when it reads that another instance holds the lease", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    server.put({ ...server.spec, holderIdentity: "b", leaseTransitions: 1 });
    await clock.advance(1_000);
    expect(stopped).toEqual(["lost"]);
    expect(() => elector.fence.check()).toThrow(NotLeadingError);
    expect(elector.term).toBeUndefined();
  });

  test("recreates a lease that is deleted while it leads: a new term under a new uid", async () => {
    const { server, clock } = aLeaseServer();
    server.put({ holderIdentity: "", leaseTransitions: 6 });
    const { elector, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    expect(elector.term).toEqual({ leaseUid: "uid-1", transitions: 7 });
    server.lease = undefined;
    await clock.advance(2_000);
    expect(elector.term).toEqual({ leaseUid: "uid-2", transitions: 0 });
    expect(server.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 0 });
    expect(elector.isLeading).toBe(true);
    expect(stopped).toEqual([]);
  });

  test("a rival leaves a deleted lease to its holder, which recreates it, for as long as it would have been valid", async () => {
    const { server, clock } = aLeaseServer();
    const [leader, rival] = [anInstance("leader", server, clock), anInstance("rival", server, clock, 0)];
    leader.elector.start();
    await clock.settle();
    rival.elector.start();
    await clock.advance(7_000);
    server.lease = undefined;
    await clock.advance(30_000);
    expect([leader.elector.isLeading, rival.elector.isLeading]).toEqual([true, false]);

    leader.line.isCut = true;
    server.lease = undefined;
    const cutAtMs = clock.now();
    expect(await clock.advanceUntil(() => rival.elector.isLeading)).toBe(true);
    expect(secondsFrom(cutAtMs, clock)).toBeGreaterThanOrEqual(13);
    expect(leader.stopped).toEqual(["lost"]);
  });

  test("one of two instances that start together leads, and the other one has its name at once", async () => {
    const { server, clock } = aLeaseServer();
    const [first, second] = [anInstance("first", server, clock), anInstance("second", server, clock)];
    first.elector.start();
    second.elector.start();
    await clock.settle();
    expect([first.elector.isLeading, second.elector.isLeading]).toEqual([true, false]);
    expect(server.requests.filter(({ by }) => by === "second").map(({ verb }) => verb)).toEqual([
      "get",
      "create",
      "get",
    ]);
    server.lease = undefined;
    await clock.advance(30_000);
    expect([first.elector.isLeading, second.elector.isLeading]).toEqual([true, false]);
  });

  test("an instance that leads from the start reports it before the end of the first attempt", async () => {
    const { server, clock } = aLeaseServer();
    const { elector } = anInstance("first", server, clock);
    const order: string[] = [];
    void elector.tried.then(() => order.push("tried"));
    void elector.elected.then(() => order.push("elected"));
    elector.start();
    await clock.settle();
    expect(order).toEqual(["elected", "tried"]);
  });

  test("a lease that was released and then deleted can be acquired at once", async () => {
    const { server, clock } = aLeaseServer();
    server.put({ holderIdentity: "another", leaseDurationSeconds: 15 });
    const rival = anInstance("rival", server, clock);
    rival.elector.start();
    await clock.advance(3_000);
    server.put({ holderIdentity: "", leaseDurationSeconds: 1 });
    await clock.advance(1_000);
    server.lease = undefined;
    await clock.advance(5_000);
    expect(rival.elector.isLeading).toBe(true);
  });

  test("a restarted instance acquires its own lease at once, with a new term", async () => {
    const { server, clock } = aLeaseServer();
    const before = anInstance("pod-1", server, clock);
    before.elector.start();
    await clock.advance(3_000);
    before.line.isCut = true;

    const { elector } = anInstance("pod-1", server, clock);
    elector.start();
    await clock.settle();
    expect(elector.term).toEqual({ leaseUid: "uid-1", transitions: 1 });

    // Should the one before not be dead but only slow, then it sees another term and stops.
    before.line.isCut = false;
    await clock.advance(7_000);
    expect(before.stopped).toEqual(["lost"]);
    expect(elector.isLeading).toBe(true);
  });
});
