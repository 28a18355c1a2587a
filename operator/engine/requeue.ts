import type { PublishState } from "../ports.ts";
import type { Health } from "./health/health.ts";
import type { ApplyOutcome } from "./outcome.ts";

/** Delay of a status, so that one patch contains the outcome and its commit. */
export const statusDelayMs = 1000;

/** Maximum delay before a retry, or before a read of something that no event reports, such as a missing Secret. */
export const longestRetryMs = 60_000;

/** Interval of checks whether a foreign object was deleted or has released a value, because no watch reports that. */
const foreignRecheckMs = 30_000;

export interface RequeueInput {
  readonly applied: ApplyOutcome;
  /** Delay before retrying rejected applies that may be accepted without an edit. */
  readonly refusedForMs?: number | undefined;
  /** Time until the earliest future instant that the kind uses. Undefined: there is none. */
  readonly instantInMs?: number | undefined;
  readonly health: Health | undefined;
  /** Undefined: there is no repository, or nothing was offered. */
  readonly publish: PublishState | undefined;
  /** Monotonic clock, as `sinceMs` of the publication. */
  readonly nowMs: number;
  /** A random number in [0, 1). */
  readonly jitter: number;
}

/**
 * Decides the delay of the next reconcile; undefined: an event will cause it. The delay after a temporary failure is the
 * backoff of the queue.
 */
export function decideRequeue(input: RequeueInput): number | undefined {
  const { applied, refusedForMs, instantInMs, health, publish, nowMs, jitter } = input;
  const isUnwatched =
    (applied.state === "refused" && (applied.reason === "NotOwned" || applied.isContested === true)) ||
    (applied.state === "waiting" && !applied.isWatched);
  const parked = parkedForMs(publish, nowMs);
  const delays = [
    ...(refusedForMs === undefined ? [] : [refusedForMs]),
    // At least 1, because the instant may have passed in the meantime.
    ...(instantInMs === undefined ? [] : [Math.max(1, instantInMs)]),
    ...(isUnwatched ? [foreignRecheckMs * (0.9 + 0.2 * jitter)] : []),
    ...(health?.recheckAfterMs === undefined ? [] : [health.recheckAfterMs]),
    ...(parked === 0 ? [] : [parked]),
  ];
  return delays.length === 0 ? undefined : Math.ceil(Math.min(...delays));
}

/**
 * How much longer the status waits for its commit, in milliseconds; 0: write it now.
 */
export function parkedForMs(publish: PublishState | undefined, nowMs: number): number {
  if (publish?.state !== "pending") return 0;
  return Math.max(0, publish.sinceMs + statusDelayMs - nowMs);
}

/** The smallest delay; undefined: there is none. Pure. */
export function soonest(...delays: readonly (number | undefined)[]): number | undefined {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
