import { describe, expect, test } from "vitest";
import { Backoff } from "../../../operator/runtime/backoff.ts";

const options = { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1, resetAfterMs: 120_000 };

describe("Backoff", () => {
  test("delays double up to the cap", () => {
    const backoff = new Backoff(options, () => 0);
    const delays = Array.from({ length: 8 }, () => backoff.next(0));
    expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  test("chance adds up to the delay itself", () => {
    const backoff = new Backoff(options, () => 0.75);
    expect([backoff.next(0), backoff.next(0)]).toEqual([1_400, 2_800]);
  });

  test("it starts again when nobody asked for two minutes", () => {
    const backoff = new Backoff(options, () => 0);
    backoff.next(0);
    expect(backoff.next(120_000)).toBe(1_600);
    expect(backoff.next(240_001)).toBe(800);
  });

  test("it starts again when told", () => {
    const backoff = new Backoff(options, () => 0);
    backoff.next(0);
    backoff.reset();
    expect(backoff.next(0)).toBe(800);
  });
});
