import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotLeadingError,
  ReplacedError,
  TerminalError,
  UnsettledError,
} from "../errors.ts";
import type { Clock, Logger, Reconcile, ReconcileOptions } from "../ports.ts";
import type { Handout, WorkQueue } from "./queue.ts";
import { TimeSlice } from "./time-slice.ts";
import { TokenBuckets } from "./token-bucket.ts";

/** Rate of the runs of one key: a rollout needs fewer than the burst, and manual edits are slower than the interval. */
const runs = { burst: 20, intervalMs: 500 };

export interface ReconcileObserver {
  started(): void;
  ended(result: "success" | "error" | "requeue_after", tookMs: number): void;
  failedForGood(): void;
  panicked(): void;
  timedOut(): void;
}

export interface WorkersOptions {
  readonly queue: WorkQueue;
  /** Number of keys that are processed at the same time. */
  readonly workers: number;
  readonly reconcile: Reconcile;
  readonly clock: Clock;
  readonly log: Logger;
  /** After this time the signal of a reconcile is aborted; default: never. */
  readonly reconcileTimeoutMs?: number;
  readonly observer?: ReconcileObserver;
  /** No key is taken before it resolves, such as when this instance leads. */
  readonly gate?: Promise<unknown>;
  /** Aborts the signal of every running reconcile, such as at the end of the grace period. */
  readonly signal?: AbortSignal;
  /** A rejection that is not an Error is logged and retried like any other; false: it ends the workers. */
  readonly survivePanics?: boolean;
}

/** A reconcile did not end in time. */
export class ReconcileTimeoutError extends Error {
  override readonly name = "ReconcileTimeoutError";
  constructor(timeoutMs: number) {
    super(`Cannot finish the reconcile: it took longer than ${timeoutMs / 1_000} s`);
  }
}

/** A thrown value is not an Error: a defect. */
export class ReconcilePanicError extends Error {
  override readonly name = "ReconcilePanicError";
}

/**
 * Processes the queue until it is shut down.
 *
 * @returns Resolves when the last reconcile has ended; idle workers end as soon as the queue is shut down.
 * @throws ReconcilePanicError if panics end the workers.
 */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  await Promise.race([options.gate, options.queue.closed]);
  // Every running reconcile listens to it.
  if (options.signal !== undefined) setMaxListeners(0, options.signal);
  const slice = new TimeSlice(options.clock);
  const rate = new TokenBuckets(runs);
  await Promise.all(Array.from({ length: options.workers }, () => work(options, slice, rate)));
}

async function work(options: WorkersOptions, slice: TimeSlice, rate: TokenBuckets): Promise<void> {
  const { queue } = options;
  for (let handout = await queue.take(); handout !== undefined; handout = await queue.take()) {
    try {
      const nowMs = options.clock.now();
      const afterMs = rate.waitMs(handout.key, nowMs);
      if (afterMs > 0) {
        // Nothing is lost: a run reads the state of its time.
        queue.add(handout.key, { priority: handout.priority, afterMs });
        options.log.debug("Rate-limited a reconcile", () => heldBack(handout.key, afterMs, options));
        continue;
      }
      rate.take(handout.key, nowMs);
      while (slice.isOver) await slice.next();
      await reconcileOne(handout, options);
    } finally {
      queue.done(handout.key);
    }
  }
}

/** One run, and the consequences of its outcome: an error has precedence. */
async function reconcileOne({ key, priority }: Handout, options: WorkersOptions): Promise<void> {
  const { queue, clock, observer } = options;
  const log = options.log.child({ ...fieldsOf(key), reconcileID: randomUUID() });
  const startMs = clock.now();
  let explain: (() => object) | undefined;
  const onExplain = (how: () => object): void => {
    explain = how;
  };
  const explainEnd = (ending: { readonly afterMs: number; readonly error?: Error }): void =>
    log.debug("Reconciled", () => ({ ...explain?.(), ...describeEnding(ending, options) }));
  observer?.started();
  try {
    const { requeueAfterMs = 0 } = await reconcileWithin(key, { log, onExplain }, options);
    queue.forget(key);
    if (requeueAfterMs > 0) queue.add(key, { priority, afterMs: requeueAfterMs });
    explainEnd({ afterMs: requeueAfterMs });
    observer?.ended(requeueAfterMs > 0 ? "requeue_after" : "success", clock.now() - startMs);
  } catch (thrown) {
    observer?.ended("error", clock.now() - startMs);
    const error = toError(thrown);
    if (error instanceof ReconcilePanicError) {
      observer?.panicked();
      if (options.survivePanics === false) throw error;
    }
    explainEnd({ afterMs: retryUnlessTerminal({ key, priority }, error, log, options), error });
  }
}

/** Why a key is not reconciled now, and until when. */
function heldBack(key: string, afterMs: number, { clock }: WorkersOptions): object {
  const reason = `${runs.burst} runs in a short time; now at most one in ${runs.intervalMs} ms`;
  return { ...fieldsOf(key), reason, until: timeAfter(afterMs, clock) };
}

/** When a key runs again by itself; without `until` only an event requeues it. */
function describeEnding(
  { afterMs, error }: { readonly afterMs: number; readonly error?: Error },
  { clock }: WorkersOptions,
): object {
  return {
    ...(error !== undefined && { failure: error.message }),
    ...(afterMs > 0 && { until: timeAfter(afterMs, clock) }),
  };
}

function timeAfter(afterMs: number, clock: Clock): string {
  return new Date(clock.wallClock().getTime() + afterMs).toISOString();
}

/** @returns The delay before the next run; 0: there is none without an event. */
function retryUnlessTerminal(
  { key, priority }: Handout,
  error: Error,
  log: Logger,
  { queue, observer, signal }: WorkersOptions,
): number {
  if (error instanceof TerminalError) {
    observer?.failedForGood();
    // Nothing is scheduled, so no delay is left when the resource is edited.
    queue.forget(key);
    log.error("Reconcile failed and will not be retried", { error });
    return 0;
  }
  if (signal?.aborted) log.info("Reconcile was interrupted", { why: error.message });
  else logFailure(error, log);
  if ("requeueAfterMs" in error) log.warn("Ignored requeueAfterMs of a failed reconcile", { error });
  return queue.retry(key, { priority });
}

/** A failure that the next run resolves is not an error, and needs no stack. */
function logFailure(error: Error, log: Logger): void {
  const why = error.message;
  const isRefused = error instanceof NotLeadingError && error.isRefusal;
  if (isRefused || error instanceof ApiUnavailableError || error instanceof UnsettledError)
    log.warn("Reconcile failed, retrying", { why });
  else if ([AlreadyThereError, ReplacedError, NotLeadingError].some((type) => error instanceof type))
    log.info("Reconcile conflicted with another writer, retrying", { why });
  else log.error("Reconcile failed", { error });
}

/** `shop/web` as controller-runtime logs it. */
function fieldsOf(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf("/");
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Runs a reconcile whose signal is aborted by its own timeout or by the workers' signal. */
async function reconcileWithin(
  key: string,
  run: Omit<ReconcileOptions, "signal">,
  options: WorkersOptions,
): ReturnType<Reconcile> {
  const { clock, observer, reconcileTimeoutMs, signal: parent } = options;
  const controller = new AbortController();
  const { signal } = controller;
  // Every request of the reconcile listens to it, as many as are in flight.
  setMaxListeners(0, signal);
  const abort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) abort();
  else parent?.addEventListener("abort", abort, { once: true });
  const cancelTimeout =
    reconcileTimeoutMs === undefined
      ? undefined
      : clock.schedule(reconcileTimeoutMs, () => {
          if (signal.aborted) return;
          observer?.timedOut();
          controller.abort(new ReconcileTimeoutError(reconcileTimeoutMs));
        });
  try {
    return await options.reconcile(key, { ...run, signal });
  } finally {
    cancelTimeout?.();
    parent?.removeEventListener("abort", abort);
  }
}

function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new ReconcilePanicError(
    `Cannot reconcile: a value that is not an Error was thrown: ${String(thrown)}`,
    {
      cause: thrown,
    },
  );
}
