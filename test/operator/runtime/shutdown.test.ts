import { describe, expect, test } from "vitest";
import { type ShutdownParts, shutDown } from "../../../operator/runtime/shutdown.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

/** Parts that note when they began and ended; each takes the time it is given. */
function parts(clock: FakeClock, tookMs: Partial<Record<keyof ShutdownParts, number>> = {}) {
  const seen: string[] = [];
  const part = (name: keyof ShutdownParts) => async (): Promise<void> => {
    seen.push(name);
    const delayMs = tookMs[name] ?? 0;
    if (delayMs === 0) return;
    await new Promise<void>((resolve) => clock.schedule(delayMs, resolve));
    seen.push(`${name} ended`);
  };
  const shutdownParts: ShutdownParts = {
    stopWorkers: part("stopWorkers"),
    abortReconciles: () => seen.push("abortReconciles"),
    stopRenewing: () => seen.push("stopRenewing"),
    stopSources: part("stopSources"),
    flush: part("flush"),
    release: part("release"),
    closeServers: part("closeServers"),
  };
  return { seen, shutdownParts };
}

function start(
  tookMs: Partial<Record<keyof ShutdownParts, number>> = {},
  { cause = "signal", graceMs }: { cause?: "signal" | "lost-lease" | "failed"; graceMs?: number } = {},
) {
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const { seen, shutdownParts } = parts(clock, tookMs);
  const done = shutDown(cause, shutdownParts, { clock, log, ...(graceMs !== undefined && { graceMs }) });
  const result: { code?: number } = {};
  done.then((code) => {
    result.code = code;
  });
  return { clock, log, seen, result, shutdownParts };
}

describe("shutDown()", () => {
  test("waits for a reconcile of 2 s, then stops the caches, releases the lease last, exits with 0 (case 32)", async () => {
    const { clock, seen, result } = start({ stopWorkers: 2_000, flush: 500, release: 100 });
    await clock.advance(1_999);
    expect(seen).toEqual(["stopWorkers"]);
    await clock.advance(1_000);
    expect(seen).toEqual([
      "stopWorkers",
      "stopWorkers ended",
      "stopSources",
      "flush",
      "flush ended",
      "release",
      "release ended",
      "closeServers",
    ]);
    expect(result.code).toBe(0);
  });

  test("stops waiting after 30 s, does not release the lease and exits with 1 (case 33)", async () => {
    const { clock, seen, result, log } = start({ stopWorkers: 1e9 });
    await clock.advance(29_999);
    expect(seen).toEqual(["stopWorkers"]);
    await clock.advance(1);
    expect(seen).toEqual(["stopWorkers", "abortReconciles", "stopRenewing", "stopSources", "closeServers"]);
    expect(result.code).toBe(1);
    expect(log.messages("error")).toHaveLength(1);
  });

  test("does not wait with a grace period of 0, and waits without a limit with a negative one", async () => {
    const hasty = start({ stopWorkers: 1 }, { graceMs: 0 });
    await hasty.clock.advance(0);
    expect(hasty.result.code).toBe(1);
    const patient = start({ stopWorkers: 3_600_000 }, { graceMs: -1 });
    await patient.clock.advance(3_600_000);
    expect(patient.result.code).toBe(0);
  });

  test("skips the grace period when the lease is lost: ends at once, releases nothing, exits with 1", async () => {
    const { clock, seen, result } = start({ stopWorkers: 1e9 }, { cause: "lost-lease" });
    await clock.settle();
    const ended = ["stopSources ended", "flush ended", "closeServers ended"];
    expect(seen.filter((part) => !ended.includes(part))).toEqual([
      "abortReconciles",
      "stopWorkers",
      "stopSources",
      "flush",
      "closeServers",
    ]);
    expect(result.code).toBe(1);
  });

  test("a hanging remote is aborted after 15 s, and the lease is released nevertheless", async () => {
    const { clock, seen, result } = start({ flush: 1e9 });
    await clock.advance(15_000);
    expect(seen).toEqual(["stopWorkers", "stopSources", "flush", "release", "closeServers"]);
    expect(result.code).toBe(0);
  });

  test("ends in the same order, with exit code 1, when a part of the operator failed", async () => {
    const { clock, seen, result } = start({}, { cause: "failed" });
    await clock.settle();
    expect(seen).toEqual(["stopWorkers", "stopSources", "flush", "release", "closeServers"]);
    expect(result.code).toBe(1);
  });

  test("continues when a part cannot be shut down", async () => {
    const clock = new FakeClock();
    const { seen, shutdownParts } = parts(clock);
    const code = await shutDown(
      "signal",
      { ...shutdownParts, stopSources: () => Promise.reject(new Error("stuck")) },
      { clock, log: new RecordingLogger() },
    );
    expect(seen).toEqual(["stopWorkers", "flush", "release", "closeServers"]);
    expect(code).toBe(0);
  });
});
