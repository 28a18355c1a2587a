/** A number with its bootstrap interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly resamples?: number;
  /** Share of the resamples inside the interval. */
  readonly confidence?: number;
}

/**
 * The ratio of two medians with its percentile bootstrap interval (Efron and Tibshirani, An Introduction to the Bootstrap,
 * section 13.3): both samples are resampled with replacement. Pure except for `random`.
 *
 * @returns Undefined if a sample is empty, or the divisor's median is 0.
 */
export function ratioOfMedians(
  ours: readonly number[],
  theirs: readonly number[],
  { random, resamples = 4_000, confidence = 0.95 }: BootstrapOptions,
): Interval | undefined {
  if (ours.length === 0 || theirs.length === 0 || medianOf(theirs) === 0) return undefined;
  const ratios = Float64Array.from(
    { length: resamples },
    () => medianOf(draw(ours, random)) / medianOf(draw(theirs, random)),
  );
  ratios.sort();
  const at = (share: number): number => ratios[Math.round(share * (resamples - 1))] ?? Number.NaN;
  const tail = (1 - confidence) / 2;
  return { value: medianOf(ours) / medianOf(theirs), low: at(tail), high: at(1 - tail) };
}

/** The median, or the mean of the middle two values. NaN for no values. Pure. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** A random number generator that returns the same numbers for the same seed (mulberry32, by Tommy Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw(values: readonly number[], random: () => number): number[] {
  return values.map(() => values[Math.floor(random() * values.length)] ?? 0);
}
