import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Reconcile } from "../../../operator/ports.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import { ReconcilePanicError, runWorkers } from "../../../operator/runtime/worker.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { gaps, runOnFakes, scripted } from "../../fakes/workers-run.ts";

describe("runWorkers(), with faults", () => {
  test.for([{ thrown: "a string" }, { thrown: undefined }, { thrown: { code: 1 } }])(
    "continues after a reconcile that throws $thrown, counts it and retries (case 28)",
    async ({ thrown }) => {
      const { queue, clock, calls, told, log } = runOnFakes(
        scripted(() => {
          throw thrown;
        }),
      );
      queue.add("a");
      await clock.advance(1_000);
      expect(gaps(calls)).toEqual([5]);
      expect(told).toEqual(["started", "error 0", "panic", "started", "success 0"]);
      expect(log.entries[0]?.fields).toMatchObject({ name: "a", error: expect.any(ReconcilePanicError) });
    },
  );

  test("continues after a reconcile that throws before it returns a promise", async () => {
    const { queue, clock, calls } = runOnFakes(
      (() => {
        let isFirst = true;
        return (() => {
          if (!isFirst) return Promise.resolve({});
          isFirst = false;
          throw new Error("at once");
        }) as Reconcile;
      })(),
    );
    queue.add("a");
    await clock.advance(1_000);
    expect(calls).toHaveLength(2);
  });

  test("fails with the panic if panics are not to be recovered (case 28)", async () => {
    const { queue, ended } = runOnFakes(() => Promise.reject("not an error"), { survivePanics: false });
    queue.add("a");
    await expect(ended).rejects.toThrow(ReconcilePanicError);
  });

  test("aborts the signal of a reconcile that takes too long, and counts it (case 29)", async () => {
    const reasons: unknown[] = [];
    const { queue, clock, calls, told } = runOnFakes(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          });
        }),
      { reconcileTimeoutMs: 100 },
    );
    queue.add("a");
    await clock.advance(100);
    expect(told).toEqual(["started", "timeout", "error 100"]);
    expect(String(reasons[0])).toContain("it took longer than 0.1 s");
    await clock.advance(5);
    expect(calls).toHaveLength(2);
  });

  test("does not count it as a timeout when the workers' own signal is aborted (case 29)", async () => {
    const stop = new AbortController();
    const { queue, clock, told, log, ended } = runOnFakes(
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      { reconcileTimeoutMs: 100, signal: stop.signal },
    );
    queue.add("a");
    await clock.advance(50);
    queue.shutDown();
    stop.abort(new Error("shutting down"));
    await ended;
    await clock.advance(1_000);
    expect(told).toEqual(["started", "error 50"]);
    expect(log.messages("error")).toEqual([]);
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("does not count a timeout of a reconcile that was stopped before (case 29)", async () => {
    const stop = new AbortController();
    const finish = Promise.withResolvers<object>();
    const { queue, clock, told } = runOnFakes(() => finish.promise, {
      reconcileTimeoutMs: 100,
      signal: stop.signal,
    });
    queue.add("a");
    await clock.advance(50);
    stop.abort(new Error("shutting down"));
    await clock.advance(100);
    finish.resolve({});
    await clock.settle();
    expect(told).toEqual(["started", "success 150"]);
  });

  test("leaves no timer behind when a reconcile ends in time", async () => {
    const { queue, clock } = runOnFakes(async () => ({}), { reconcileTimeoutMs: 100 });
    queue.add("a");
    await clock.settle();
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("processes no key before the gate opens", async () => {
    const gate = Promise.withResolvers<void>();
    const { queue, clock, calls } = runOnFakes(async () => ({}), { gate: gate.promise });
    queue.add("a");
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    gate.resolve();
    await clock.settle();
    expect(calls).toHaveLength(1);
  });

  test("stops waiting for a gate that never opens when the queue is shut down", async () => {
    const { queue, ended } = runOnFakes(async () => ({}), { gate: new Promise(() => {}) });
    queue.shutDown();
    await ended;
  });

  test("yields to timers and requests while thousands of keys have no changes", async () => {
    let nowMs = 0;
    const clock = { now: () => (nowMs += 0.1), wallClock: () => new Date(0), schedule: () => () => {} };
    const queue = new WorkQueue({ clock });
    for (let count = 0; count < 5_000; count++) queue.add(`key-${count}`);
    let done = 0;
    const reconcile: Reconcile = async () => {
      done++;
      return {};
    };
    const ended = runWorkers({ queue, clock, log: new RecordingLogger(), workers: 16, reconcile });
    await setImmediate();
    await setImmediate();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(500);
    while (done < 5_000) await setImmediate();
    queue.shutDown();
    await ended;
  });
});
