import type { Reconcile } from "../../operator/ports.ts";
import { WorkQueue } from "../../operator/runtime/queue.ts";
import { runWorkers, type WorkersOptions } from "../../operator/runtime/worker.ts";
import { FakeClock } from "./fake-clock.ts";
import { RecordingLogger } from "./recording-logger.ts";

/** Workers on a queue, and a record of their work. */
export interface WorkersRun {
  readonly queue: WorkQueue;
  readonly clock: FakeClock;
  readonly log: RecordingLogger;
  /** The calls of the observer, in order. */
  readonly told: string[];
  /** Times of the reconcile calls, and their keys. */
  readonly calls: { readonly key: string; readonly atMs: number }[];
  readonly ended: Promise<void>;
}

export function runOnFakes(reconcile: Reconcile, options: Partial<WorkersOptions> = {}): WorkersRun {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const log = new RecordingLogger();
  const told: string[] = [];
  const calls: { key: string; atMs: number }[] = [];
  const ended = runWorkers({
    queue,
    clock,
    log,
    workers: 1,
    reconcile: (key, rest) => {
      calls.push({ key, atMs: clock.now() });
      return reconcile(key, rest);
    },
    observer: {
      started: () => told.push("started"),
      ended: (result, tookMs) => told.push(`${result} ${tookMs}`),
      failedForGood: () => told.push("terminal"),
      panicked: () => told.push("panic"),
      timedOut: () => told.push("timeout"),
    },
    ...options,
  });
  return { queue, clock, log, told, calls, ended };
}

/** Times between the calls. */
export const gaps = (calls: WorkersRun["calls"]): number[] =>
  calls.slice(1).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? 0));

/** A reconcile that follows the script, one step per call, then succeeds. */
export function scripted(...steps: (() => Awaited<ReturnType<Reconcile>>)[]): Reconcile {
  return async () => steps.shift()?.() ?? {};
}

export const fail = (): never => {
  throw new Error("no");
};
