import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Backoff,
  BackoffByKey,
  delayAfterFailures,
  jitterInterval,
} from "../../../operator/runtime/backoff.ts";
import { limitRuns } from "../../long.ts";

const options = { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1, resetAfterMs: 120_000 };

describe("Backoff", () => {
  test("delays double up to the cap", () => {
    const backoff = new Backoff(options, () => 0);
    const delays = Array.from({ length: 8 }, () => backoff.next(0));
    expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  test("jitter adds at most the delay itself", () => {
    const backoff = new Backoff(options, () => 0.75);
    expect([backoff.next(0), backoff.next(0)]).toEqual([1_400, 2_800]);
  });

  test("it resets after two minutes without a call", () => {
    const backoff = new Backoff(options, () => 0);
    backoff.next(0);
    expect(backoff.next(120_000)).toBe(1_600);
    expect(backoff.next(240_001)).toBe(800);
  });

  test("it resets on request", () => {
    const backoff = new Backoff(options, () => 0);
    backoff.next(0);
    backoff.reset();
    expect(backoff.next(0)).toBe(800);
  });

  const steps = fc.record({
    initialMs: fc.integer({ min: 1, max: 1_000 }),
    factor: fc.constantFrom(1, 1.5, 2, 3),
    capMs: fc.integer({ min: 1_000, max: 100_000 }),
    jitter: fc.double({ min: 0, max: 2, noNaN: true }),
  });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test("every delay is between those without jitter and with full jitter", () => {
    fc.assert(
      fc.property(steps, fc.array(chance, { minLength: 1, maxLength: 2_000 }), (options, chances) => {
        let draw = 0;
        const backoff = new Backoff(options, () => chances[draw++] ?? 0);
        let stepMs = options.initialMs;
        for (const [index] of chances.entries()) {
          const delayMs = backoff.next(index);
          expect(delayMs).toBeGreaterThanOrEqual(stepMs * (1 - 1e-9));
          expect(delayMs).toBeLessThanOrEqual(stepMs * (1 + options.jitter) * (1 + 1e-9));
          stepMs = Math.min(options.capMs, stepMs * options.factor);
        }
      }),
      { numRuns: limitRuns(50) },
    );
  });
});

describe("BackoffByKey", () => {
  const steps = { initialMs: 5, factor: 2, capMs: 1_000_000 };

  test("a key's failures delay no other key", () => {
    const backoff = new BackoffByKey(steps);
    expect([backoff.next("a"), backoff.next("a"), backoff.next("b"), backoff.next("a")]).toEqual([
      5, 10, 5, 20,
    ]);
  });

  test("a dropped key starts with the first delay again", () => {
    const backoff = new BackoffByKey(steps);
    backoff.next("a");
    backoff.forget("a");
    expect(backoff.next("a")).toBe(5);
  });
});

describe("delayAfterFailures()", () => {
  test("stays at the cap after any number of failures", () => {
    const steps = { initialMs: 1_000, factor: 3, capMs: 60_000 };
    expect([1, 2, 4, 5, 10_000].map((failures) => delayAfterFailures(failures, steps))).toEqual([
      1_000, 3_000, 27_000, 60_000, 60_000,
    ]);
  });
});

describe("jitterInterval()", () => {
  test.for([
    { random: 0, expected: 57_000 },
    { random: 0.5, expected: 60_000 },
    { random: 1, expected: 63_000 },
  ])("makes an interval of 60 s $expected ms long by chance $random", ({ random, expected }) => {
    expect(jitterInterval(60_000, { share: 0.05, random: () => random })).toBeCloseTo(expected, 6);
  });
});
