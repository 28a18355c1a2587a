import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeZoneOf } from "../../../charts/pipeline/local-time.ts";
import { limitRuns } from "../../long.ts";
import { wallClock } from "./wall-clock.ts";

const zone = (name: string) => timeZoneOf(name) ?? expect.fail(`no time zone ${name}`);
const wall = (text: string) => Date.parse(`${text}Z`);
const instant = (atMs: number) => new Date(atMs).toISOString();

describe("timeZoneOf()", () => {
  test("accepts named time zones, and no others", () => {
    expect(timeZoneOf("Europe/Berlin")).toBeDefined();
    expect(timeZoneOf("UTC")).toBeDefined();
    for (const name of ["", "Europe/Nowhere", "CEST!"]) expect(timeZoneOf(name), name).toBeUndefined();
  });

  test("returns the end of the gap for a skipped local time", () => {
    const berlin = zone("Europe/Berlin");
    for (const skipped of ["2026-03-29T02:00", "2026-03-29T02:30", "2026-03-29T02:59"])
      expect(instant(berlin.firstInstantOf(wall(skipped)))).toBe("2026-03-29T01:00:00.000Z");
    expect(instant(berlin.firstInstantOf(wall("2026-03-29T03:15")))).toBe("2026-03-29T01:15:00.000Z");
    // The clock change skips a whole day.
    const apia = zone("Pacific/Apia");
    expect(instant(apia.firstInstantOf(wall("2011-12-30T12:00")))).toBe("2011-12-30T10:00:00.000Z");
  });

  test("returns the first instant of a repeated local time", () => {
    const berlin = zone("Europe/Berlin");
    expect(instant(berlin.firstInstantOf(wall("2026-10-25T02:30")))).toBe("2026-10-25T00:30:00.000Z");
    expect(instant(berlin.firstInstantOf(wall("2026-10-25T03:00")))).toBe("2026-10-25T02:00:00.000Z");
    const lordHowe = zone("Australia/Lord_Howe");
    expect(instant(lordHowe.firstInstantOf(wall("2026-04-05T01:45")))).toBe("2026-04-04T14:45:00.000Z");
  });

  test("returns the first instant with a local time or a later one, in any time zone", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    const from = Date.UTC(2000, 0, 1);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 40 * 365 * 24 * 60 }),
        (name, minutes) => {
          const sought = from + minutes * 60_000;
          const first = zone(name).firstInstantOf(sought);
          const wallAt = wallClock(name);
          expect(wallAt(first)).toBeGreaterThanOrEqual(sought);
          // No time zone changes by more than a day.
          for (const beforeMs of [1, 1_000, 60_000, 1_800_000, 3_600_000, 7_200_000, 86_400_000])
            expect(wallAt(first - beforeMs)).toBeLessThan(sought);
        },
      ),
      { numRuns: limitRuns(300) },
    );
  });
});
