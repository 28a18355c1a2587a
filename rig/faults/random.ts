/** A random number generator with a seed. The same seed gives the same numbers. */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [low, high]. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with the probability `share`. */
  isHit(share: number): boolean;
}

/** Tommy Ettinger's mulberry32 (public domain). The seed is mixed first, so that the results of adjacent seeds differ. */
export function chanceFrom(seed: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick<T>(from: readonly T[]): T {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new RangeError("Cannot pick from an empty list");
      return picked;
    },
    isHit: (share) => next() < share,
  };
}
