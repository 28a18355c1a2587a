import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RunClock } from "../../../operator/engine/run-clock.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

describe("RunClock", () => {
  test("an instant has passed at its exact millisecond", () => {
    const clock = new RunClock(startMs);
    expect(clock.reached("2026-01-01T00:00:00Z")).toBe(true);
    expect(clock.reached("2026-01-01T00:00:00.001Z")).toBe(false);
  });

  test("requests no requeue when every instant has passed", () => {
    const clock = new RunClock(startMs);
    clock.reached("2025-12-31T23:59:59Z");
    expect(clock.untilNextMs(startMs)).toBeUndefined();
  });

  test("requests a requeue at the earliest instant that has not passed", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e6, max: 2 ** 40 })), fc.nat(1e6), (offsets, tookMs) => {
        const clock = new RunClock(startMs);
        const answers = offsets.map((offset) => clock.reached(new Date(startMs + offset)));
        expect(answers).toEqual(offsets.map((offset) => offset <= 0));
        const future = offsets.filter((offset) => offset > 0);
        const next = future.length === 0 ? undefined : Math.max(0, Math.min(...future) - tookMs);
        expect(clock.untilNextMs(startMs + tookMs)).toBe(next);
      }),
    );
  });
});
