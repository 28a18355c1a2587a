import { describe, expect, test } from "vitest";
import { NotLeadingError } from "../../../operator/errors.ts";
import type { Clock } from "../../../operator/ports.ts";
import { aLeaseServer, anInstance } from "../../fakes/election-instance.ts";

describe("LeaderElector, with slow responses or a slow process", () => {
  test("keeps the lease while every request takes 4 s (case 38)", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.delayMs = 4_000;
    for (let second = 0; second < 300; second++) {
      await clock.advance(1_000);
      elector.fence.check();
    }
    expect(stopped).toEqual([]);
  });

  test("loses the lease at the deadline of 10 s when every request takes 6 s (case 38)", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    const firstSlowMs = 4_000;
    line.delayMs = 6_000;
    await clock.advance(firstSlowMs + 9_999 - clock.now());
    expect(stopped).toEqual([]);
    await clock.advance(1);
    expect(stopped).toEqual(["lost"]);
    expect(clock.pendingDelaysMs.every((delayMs) => delayMs <= 6_000)).toBe(true);
  });

  test("a renewal whose response is lost is found by reading, and the term continues", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.delayMs = 6_000;
    await clock.advance(2_000);
    line.delayMs = 0;
    await clock.advance(10_000);
    expect(elector.isLeading).toBe(true);
    expect(elector.term).toEqual({ leaseUid: "uid-1", transitions: 0 });
    expect(server.spec.acquireTime).toBe("2026-01-01T00:00:00.000000Z");
  });

  test("a recreated lease whose response is lost stays valid, too", async () => {
    const { server, clock } = aLeaseServer();
    server.put({ holderIdentity: "", leaseTransitions: 6 });
    const { elector, line } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.delayMs = 6_000;
    line.slow = "create";
    server.lease = undefined;
    await clock.advance(15_000);
    expect(elector.isLeading).toBe(true);
    expect(elector.term).toEqual({ leaseUid: "uid-2", transitions: 0 });
  });

  test("counts the age of a renewal from the time before it was sent", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line } = anInstance("a", server, clock);
    elector.start();
    await clock.settle();
    line.delayMs = 4_000;
    // Sent after 2 s, answered after 6 s.
    await clock.advance(5_900);
    line.isCut = true;
    await clock.advance(6_099);
    expect(elector.isLeading).toBe(true);
    await clock.advance(1);
    expect(elector.isLeading).toBe(false);
  });

  test("keeps the lease while the server is down for 8 s: it tries every 2 s", async () => {
    const { server, clock } = aLeaseServer();
    const { elector, line, stopped } = anInstance("a", server, clock);
    elector.start();
    await clock.advance(3_000);
    line.isRefused = true;
    await clock.advance(8_000);
    line.isRefused = false;
    await clock.advance(60_000);
    expect(stopped).toEqual([]);
    expect(elector.isLeading).toBe(true);
    const tries = server.requests
      .filter(({ verb, atMs }) => verb === "get" && atMs > 0)
      .map(({ atMs }) => atMs);
    expect(tries).toEqual([4_000, 6_000, 8_000, 10_000]);
  });

  test("reads the lease first when it was paused longer than the lease duration", async () => {
    const { server, clock } = aLeaseServer();
    let pausedMs = 0;
    const pausing: Clock = {
      now: () => clock.now() + pausedMs,
      wallClock: () => clock.wallClock(),
      schedule: (delayMs, callback) => clock.schedule(delayMs, callback),
    };
    const { elector } = anInstance("a", server, pausing);
    elector.start();
    await elector.elected;
    pausedMs = 15_000;
    await clock.advance(2_000);
    expect(server.requests.slice(2).map(({ verb }) => verb)).toEqual(["get", "replace"]);
    expect(elector.isLeading).toBe(true);
  });

  test("a resumed process finds the fence closed before any of its timers has run", async () => {
    const { server, clock } = aLeaseServer();
    let pausedMs = 0;
    const pausing: Clock = {
      now: () => clock.now() + pausedMs,
      wallClock: () => clock.wallClock(),
      schedule: (delayMs, callback) => clock.schedule(delayMs, callback),
    };
    const { elector } = anInstance("a", server, pausing);
    elector.start();
    await elector.elected;
    pausedMs = 10_000;
    expect(() => elector.fence.check()).toThrow(NotLeadingError);
  });

  test("fails its liveness check when it leads but has not renewed for a long time", async () => {
    const { server, clock } = aLeaseServer();
    let pausedMs = 0;
    const pausing: Clock = {
      now: () => clock.now() + pausedMs,
      wallClock: () => clock.wallClock(),
      schedule: (delayMs, callback) => clock.schedule(delayMs, callback),
    };
    const { elector } = anInstance("a", server, pausing);
    elector.checkRenewal();
    elector.start();
    await elector.elected;
    pausedMs = 35_000;
    elector.checkRenewal();
    pausedMs = 35_001;
    expect(() => elector.checkRenewal()).toThrow("the last renewal was 35 s ago");
  });
});
