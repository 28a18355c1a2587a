export interface LastReachedInput {
  /** Whether an instant has passed. */
  readonly isReached: (instantMs: number) => boolean;
  /** An instant of the series that has passed. */
  readonly from: number;
}

const firstStepMs = 3_600_000;

/**
 * Finds the last instant of a series that has passed. It calls `isReached` for few instants, all of them of the series:
 * an exponential search from `from`, then a binary search. Pure.
 *
 * @param next Returns the first instant of the series after a time; undefined: there is none.
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
  // No instant after this one has passed.
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
