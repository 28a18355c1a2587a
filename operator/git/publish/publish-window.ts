/** How long a single edit waits for further edits. */
const LONE_MS = 30;
/** Minimum interval between commits of one or two resources … */
const CALM_INTERVAL_MS = 200;
/** … and between larger ones. With the push itself, this stays below the second for which an outcome is held back. */
const BUSY_INTERVAL_MS = 850;
/** Extra time, because a push may take longer than the last one. */
const PUSH_WITHIN_MS = 900;
/** Minimum time for gathering changes, however long a push takes. */
const SHORTEST_BUSY_INTERVAL_MS = 500;

export interface PublishWindowInput {
  /** Resources in the previous commit; 0 if there was none. */
  readonly lastBatch: number;
  /** Milliseconds since the start of that commit. */
  readonly sinceMs: number;
  /** Milliseconds from the start of that commit until it was on the branch. */
  readonly tookMs: number;
}

/**
 * How long to gather changes before the next commit, in milliseconds: short after an idle period, long under load. A
 * commit and its push cost about 35 ms of CPU, independent of their size, so a thousand resources in six seconds should
 * be eight commits, not two hundred. Pure.
 */
export function publishWindowMs({ lastBatch, sinceMs, tookMs }: PublishWindowInput): number {
  const busyMs = Math.min(BUSY_INTERVAL_MS, Math.max(SHORTEST_BUSY_INTERVAL_MS, PUSH_WITHIN_MS - tookMs));
  const intervalMs = lastBatch > 2 ? busyMs : lastBatch > 0 ? CALM_INTERVAL_MS : 0;
  return Math.max(LONE_MS, intervalMs - sinceMs);
}
