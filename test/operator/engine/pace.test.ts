import { describe, expect, test } from "vitest";
import { Pace } from "../../../operator/engine/pace.ts";

/** Lets a key happen as often as it may at this moment, and gives how often that was. */
function happenings(pace: Pace, key: string, nowMs: number): number {
  let count = 0;
  for (; pace.earlyMs(key, nowMs) === 0; count++) pace.count(key, nowMs);
  return count;
}

describe("Pace", () => {
  const options = { burst: 20, intervalMs: 200 };

  test("allows a burst of each key, and then one in each interval", () => {
    const pace = new Pace(options);
    expect(happenings(pace, "a", 0)).toBe(20);
    expect(pace.earlyMs("a", 0)).toBe(200);
    expect(pace.earlyMs("a", 150)).toBe(50);
    expect(pace.earlyMs("b", 0)).toBe(0);
  });

  test("gives the burst back with time, and no more than that", () => {
    const pace = new Pace(options);
    happenings(pace, "a", 0);
    expect(happenings(pace, "a", 1_000)).toBe(5);
    expect(happenings(pace, "a", 60_000)).toBe(20);
  });

  test("lets what happens all the same count", () => {
    const pace = new Pace(options);
    happenings(pace, "a", 0);
    pace.count("a", 0);
    expect(pace.earlyMs("a", 0)).toBe(400);
  });

  test("forgets what is gone", () => {
    const pace = new Pace(options);
    happenings(pace, "a", 0);
    pace.forget("a");
    expect(pace.size).toBe(0);
    expect(pace.earlyMs("a", 0)).toBe(0);
  });

  test("remembers no key to which nothing has happened for a while", () => {
    const pace = new Pace(options);
    for (let key = 0; key < 1_000; key++) pace.count(`key-${key}`, key);
    expect(pace.size).toBe(1_000);
    pace.count("a", 20_000);
    expect(pace.size).toBe(1);
  });
});
