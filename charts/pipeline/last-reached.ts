export interface LastReachedInput {
  /** Whether an instant has passed; true up to some instant, and false after it. */
  readonly isReached: (instantMs: number) => boolean;
  /** One of the instants, and one that has passed. */
  readonly from: number;
}

const firstStepMs = 3_600_000;

/**
 * The last of some instants that has passed. It calls `isReached` only for instants of the series, and for few of them:
 * the steps grow from `from` on, and are then halved. Pure.
 *
 * @param next The first instant of the series after a time; undefined: there is none.
 */
export function lastReached(
  next: (afterMs: number) => number | undefined,
  { isReached, from }: LastReachedInput,
): number {
  let low = from;
  let stepMs = firstStepMs;
  for (;;) {
    const instantMs = next(low + stepMs);
    if (instantMs === undefined || !isReached(instantMs)) break;
    low = instantMs;
    stepMs *= 2;
  }
  // Every later instant that has passed is at or before this one.
  let high = low + stepMs;
  for (;;) {
    const following = next(low);
    if (following === undefined || following > high || !isReached(following)) return low;
    low = following;
    const middle = Math.floor((low + high) / 2);
    const instantMs = next(middle);
    if (instantMs !== undefined && instantMs <= high && isReached(instantMs)) low = instantMs;
    else high = middle;
  }
}
