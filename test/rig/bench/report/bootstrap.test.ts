import { describe, expect, test } from "vitest";
import { medianOf, ratioOfMedians, seededRandom } from "../../../../rig/bench/report/bootstrap.ts";

describe("medianOf()", () => {
  test.for([
    { values: [3, 1, 2], median: 2 },
    { values: [4, 1, 2, 3], median: 2.5 },
    { values: [7], median: 7 },
    { values: [], median: Number.NaN },
  ])("of $values is $median", ({ values, median }) => {
    expect(medianOf(values)).toBe(median);
  });
});

describe("ratioOfMedians()", () => {
  const ratioOf = (ours: readonly number[], theirs: readonly number[]) =>
    ratioOfMedians(ours, theirs, { random: seededRandom(7) });

  test("is a point if every round has the same ratio", () => {
    expect(ratioOf([3, 3, 3], [2, 2, 2])).toEqual({ value: 1.5, low: 1.5, high: 1.5 });
  });

  test("has an interval around the ratio of the rounds", () => {
    const ratio = ratioOf([10, 11, 12, 13, 14], [10, 10, 10, 10, 10]);
    expect(ratio?.value).toBe(1.2);
    expect(ratio?.low).toBeGreaterThanOrEqual(1);
    expect(ratio?.low).toBeLessThan(1.2);
    expect(ratio?.high).toBeGreaterThan(1.2);
    expect(ratio?.high).toBeLessThanOrEqual(1.4);
  });

  test("finds about 95 of 100 true ratios inside its interval", () => {
    const random = seededRandom(3);
    const sample = (mean: number) => Array.from({ length: 15 }, () => mean * (0.9 + 0.2 * random()));
    const hits = Array.from({ length: 200 }, () =>
      ratioOfMedians(sample(8), sample(10), { random, resamples: 200 }),
    ).filter((ratio) => ratio !== undefined && ratio.low <= 0.8 && ratio.high >= 0.8);
    expect(hits.length).toBeGreaterThan(170);
    expect(hits.length).toBeLessThan(200);
  });

  test("is the same for the same seed", () => {
    expect(ratioOf([1, 2, 3, 4], [2, 3, 5])).toEqual(ratioOf([1, 2, 3, 4], [2, 3, 5]));
  });

  test("is undefined without numbers, or if the divisor is zero", () => {
    expect(ratioOf([], [1])).toBeUndefined();
    expect(ratioOf([1], [])).toBeUndefined();
    expect(ratioOf([1], [0, 0, 0])).toBeUndefined();
  });
});
