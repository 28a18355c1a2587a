import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecurrenceSpec } from "../../../charts/pipeline/recurrence.ts";
import { assessWindows } from "../../../charts/pipeline/windows.ts";
import { limitRuns } from "../../long.ts";
import { aClock, wallClock, wallFields } from "./wall-clock.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const aheadMs = 14 * hourMs;

/** Time zones with both clock changes, half hours, a change in the southern summer, one at midnight, and none. */
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Africa/Casablanca",
  "UTC",
];

interface Case extends RecurrenceSpec {
  readonly timeZone: string;
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly weekdays: readonly number[];
  readonly lengthMinutes: number;
}

const aCase: fc.Arbitrary<Case> = fc
  .record({
    timeZone: fc.constantFrom(...zones),
    minutes: fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 3 }),
    hours: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 7 }),
    lengthMinutes: fc.integer({ min: 1, max: 10 * 60 }),
  })
  .map((one) => ({
    ...one,
    cron: `${one.minutes.join()} ${one.hours.join()} * * ${one.weekdays.join()}`,
    duration: `${one.lengthMinutes}m`,
  }));

/** An instant near a clock change of the zone, or any instant. */
function instantsIn(timeZone: string): fc.Arbitrary<number> {
  const changes: number[] = [];
  const wallAt = wallClock(timeZone);
  const offset = (atMs: number) => wallAt(atMs) - atMs;
  const from = Date.UTC(2026, 0, 1);
  for (let hour = 0; hour < 365 * 24; hour += 1) {
    const atMs = from + hour * hourMs;
    if (offset(atMs) !== offset(atMs + hourMs)) changes.push(atMs);
  }
  const near = changes.map((atMs) =>
    fc.integer({ min: -48 * 60, max: 48 * 60 }).map((m) => atMs + m * minuteMs),
  );
  return fc.oneof(
    ...near,
    ...near,
    fc.integer({ min: 0, max: 365 * 24 * 60 }).map((m) => from + m * minuteMs),
  );
}

const instants = new Map(zones.map((zone) => [zone, instantsIn(zone)]));

/**
 * The minutes at which a window opens, found by checking every minute. A local time is reached at the first instant with this
 * local time or a later one. This is the specification of `firstInstantOf()`, without its arithmetic.
 */
function startsBetween({ minutes, hours, weekdays, timeZone }: Case, fromMs: number, toMs: number): number[] {
  const matches = (wallMs: number): boolean => {
    const { minute, hour, weekday } = wallFields(wallMs);
    return minutes.includes(minute) && hours.includes(hour) && weekdays.includes(weekday);
  };
  const starts: number[] = [];
  // Start a day earlier, so that the highest local time so far is known.
  const wallAt = wallClock(timeZone);
  let shownMs = wallAt(fromMs - 24 * hourMs);
  for (let atMs = fromMs - 24 * hourMs + minuteMs; atMs <= toMs; atMs += minuteMs) {
    const nowMs = wallAt(atMs);
    let isStart = false;
    for (let wallMs = shownMs + minuteMs; wallMs <= nowMs; wallMs += minuteMs) isStart ||= matches(wallMs);
    shownMs = Math.max(shownMs, nowMs);
    if (isStart && atMs >= fromMs) starts.push(atMs);
  }
  return starts;
}

describe("assessWindows()", () => {
  test("agrees with a check of every minute, in all time zones and over both clock changes", () => {
    const anInput = aCase.chain((one) =>
      fc.record({
        one: fc.constant(one),
        nowMs: instants.get(one.timeZone) ?? fc.constant(0),
        anchorHours: fc.integer({ min: 0, max: 24 * 400 }),
        isDeny: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(anInput, ({ one, nowMs, anchorHours, isDeny }) => {
        const lengthMs = one.lengthMinutes * minuteMs;
        const starts = startsBetween(one, nowMs - lengthMs, nowMs + aheadMs);
        const covers = (atMs: number) =>
          starts.some((startMs) => startMs <= atMs && atMs < startMs + lengthMs);
        const clock = aClock(nowMs);
        const { cron, duration, timeZone } = one;
        const window = { cron, duration, timeZone };
        const state = assessWindows({
          windows: [isDeny ? { deny: window } : { allow: window }],
          anchor: new Date(nowMs - anchorHours * hourMs),
          clock,
        });
        expect(state.isOpen).toBe(covers(nowMs) !== isDeny);
        // The first minute of the next hours with another state.
        let changeMs = nowMs + minuteMs;
        while (changeMs < nowMs + aheadMs && covers(changeMs) === covers(nowMs)) changeMs += minuteMs;
        const isSoon = changeMs < nowMs + aheadMs;
        if (isSoon) expect(Date.parse(state.until ?? "")).toBe(changeMs);
        else expect(Date.parse(state.until ?? "9999-01-01")).toBeGreaterThanOrEqual(changeMs);
        // The resource is requeued at this time or earlier.
        if (isSoon) expect(Date.parse(clock.next() ?? "9999-01-01")).toBeLessThanOrEqual(changeMs);
      }),
      { numRuns: limitRuns(100) },
    );
  });
});
