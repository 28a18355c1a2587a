import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TokenBuckets } from "../../../operator/runtime/token-bucket.ts";
import { limitRuns } from "../../long.ts";

/** Takes all tokens that the key has, and counts them. */
function takeAll(buckets: TokenBuckets, key: string, nowMs: number): number {
  let count = 0;
  while (buckets.take(key, nowMs)) count++;
  return count;
}

describe("TokenBuckets", () => {
  const options = { burst: 20, intervalMs: 200 };

  test("grants each key a burst, then one token per interval", () => {
    const buckets = new TokenBuckets(options);
    expect(takeAll(buckets, "a", 0)).toBe(20);
    expect(buckets.waitMs("a", 0)).toBe(200);
    expect(buckets.waitMs("a", 150)).toBe(50);
    expect(buckets.waitMs("b", 0)).toBe(0);
  });

  test("grants the burst and what is due at any fraction of a millisecond", () => {
    const anyTime = fc.double({ min: 0, max: 1e10, noNaN: true });
    fc.assert(
      fc.property(anyTime, fc.integer({ min: 1, max: 5 }), (nowMs, burst) => {
        const buckets = new TokenBuckets({ burst, intervalMs: 60_000 });
        expect(takeAll(buckets, "a", nowMs)).toBe(burst);
        expect(takeAll(buckets, "a", nowMs + 60_000)).toBe(1);
      }),
      { seed: 1, numRuns: limitRuns(1_000) },
    );
  });

  test("fills with time, up to the burst", () => {
    const buckets = new TokenBuckets(options);
    takeAll(buckets, "a", 0);
    expect(takeAll(buckets, "a", 1_000)).toBe(5);
    expect(takeAll(buckets, "a", 60_000)).toBe(20);
  });

  test("counts a token that is reserved before it is available", () => {
    const buckets = new TokenBuckets(options);
    takeAll(buckets, "a", 0);
    expect(buckets.reserve("a", 0)).toBe(200);
    expect(buckets.waitMs("a", 0)).toBe(400);
  });

  test("drops a key", () => {
    const buckets = new TokenBuckets(options);
    takeAll(buckets, "a", 0);
    buckets.forget("a");
    expect(buckets.size).toBe(0);
    expect(buckets.waitMs("a", 0)).toBe(0);
  });

  test("drops keys that have not been used for a while", () => {
    const buckets = new TokenBuckets(options);
    for (let key = 0; key < 1_000; key++) buckets.reserve(`key-${key}`, key);
    expect(buckets.size).toBe(1_000);
    buckets.reserve("a", 20_000);
    expect(buckets.size).toBe(1);
  });

  test("keeps at least the given number of keys, and at most twice as many", () => {
    const buckets = new TokenBuckets({ burst: 1, intervalMs: 1_000_000, keys: 10 });
    for (let key = 0; key < 1_000; key++) {
      expect(buckets.take(`key-${key}`, key)).toBe(true);
      expect(buckets.size).toBeLessThanOrEqual(20);
      for (let last = Math.max(0, key - 9); last <= key; last++)
        expect(buckets.waitMs(`key-${last}`, key)).toBeGreaterThan(0);
    }
  });

  const limits = fc.record({
    burst: fc.integer({ min: 1, max: 6 }),
    intervalMs: fc.integer({ min: 1, max: 50 }),
  });
  const tries = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c"), afterMs: fc.integer({ min: 0, max: 80 }) }),
    { maxLength: 120 },
  );

  test("grants a key never more than burst and rate allow, and never less if the key can wait", () => {
    fc.assert(
      fc.property(limits, tries, ({ burst, intervalMs }, asks) => {
        const buckets = new TokenBuckets({ burst, intervalMs });
        const taken: Record<string, number[]> = { a: [], b: [], c: [] };
        // As the textbook has it: a number of tokens for each key.
        const tokens: Record<string, number> = { a: burst, b: burst, c: burst };
        let nowMs = 0;
        for (const { key, afterMs } of asks) {
          nowMs += afterMs;
          for (const other of ["a", "b", "c"])
            tokens[other] = Math.min(burst, (tokens[other] ?? 0) + afterMs / intervalMs);
          const expected = (tokens[key] ?? 0) > 1 - 1e-9;
          const waitMs = buckets.waitMs(key, nowMs);
          expect(waitMs === 0).toBe(expected);
          expect(waitMs).toBeLessThanOrEqual(intervalMs);
          expect(buckets.take(key, nowMs)).toBe(expected);
          if (!expected) continue;
          tokens[key] = (tokens[key] ?? 0) - 1;
          taken[key]?.push(nowMs);
        }
        for (const times of Object.values(taken))
          for (const [first, fromMs] of times.entries())
            for (const [last, toMs] of times.entries())
              expect(last - first + 1).toBeLessThanOrEqual(
                last < first ? 1 : burst + (toMs - fromMs) / intervalMs + 1e-9,
              );
      }),
    );
  });

  test("assigns each reservation a different time, at the rate", () => {
    fc.assert(
      fc.property(limits, tries, ({ burst, intervalMs }, asks) => {
        const buckets = new TokenBuckets({ burst, intervalMs });
        const times: number[] = [];
        let nowMs = 0;
        for (const { afterMs } of asks) {
          nowMs += afterMs;
          times.push(nowMs + buckets.reserve("a", nowMs));
        }
        for (let index = burst; index < times.length; index++)
          expect((times[index] ?? 0) - (times[index - burst] ?? 0)).toBeGreaterThanOrEqual(intervalMs);
      }),
    );
  });
});
