/** How long a single edit waits for others. */
const LONE_MS = 30;
/** Commits of one or two resources follow each other no faster than this … */
const CALM_INTERVAL_MS = 200;
/** … and larger ones than this, so that with the push itself it stays below the second that an outcome is parked for. */
const BUSY_INTERVAL_MS = 850;
/** The push may take a little longer than the last one. */
const PUSH_WITHIN_MS = 900;
/** However long a push takes, this is left for gathering. */
const SHORTEST_BUSY_INTERVAL_MS = 500;

export interface PublishWindowInput {
  /** Resources in the commit before; 0 if there was none. */
  readonly lastBatch: number;
  /** Milliseconds since that commit was begun. */
  readonly sinceMs: number;
  /** Milliseconds from its beginning until it was on the branch. */
  readonly tookMs: number;
}

/**
 * How long to gather changes before the next commit, in milliseconds: short after silence, long under load. A commit
 * and its push cost about 35 ms of CPU however much is in them, so a thousand resources in six seconds should be
 * eight commits, not two hundred. Pure.
 */
export function publishWindowMs({ lastBatch, sinceMs, tookMs }: PublishWindowInput): number {
  const busyMs = Math.min(BUSY_INTERVAL_MS, Math.max(SHORTEST_BUSY_INTERVAL_MS, PUSH_WITHIN_MS - tookMs));
  const intervalMs = lastBatch > 2 ? busyMs : lastBatch > 0 ? CALM_INTERVAL_MS : 0;
  return Math.max(LONE_MS, intervalMs - sinceMs);
}
