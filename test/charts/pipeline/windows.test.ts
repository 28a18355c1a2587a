import { describe, expect, test } from "vitest";
import { assessWindows, type WindowSpec } from "../../../charts/pipeline/windows.ts";
import { aClock } from "./wall-clock.ts";

const zone = "Europe/Berlin";
const office = { cron: "0 9 * * 1-5", duration: "8h", timeZone: zone };

function stateAt(now: string, windows: readonly WindowSpec[], anchor = "2026-01-01T00:00:00Z") {
  const clock = aClock(now);
  return { ...assessWindows({ windows, anchor, clock }), clock };
}

describe("assessWindows()", () => {
  test("is open without windows, and does not use the clock", () => {
    const { isOpen, until, clock } = stateAt("2026-11-23T10:00:00Z", []);
    expect({ isOpen, until, asked: clock.asked }).toEqual({ isOpen: true, until: undefined, asked: [] });
  });

  test.for([
    // 2026-11-23 is a Monday; in winter Berlin is one hour ahead of UTC.
    ["2026-11-23T07:59:59Z", false, "2026-11-20T16:00:00Z", "2026-11-23T08:00:00Z"],
    ["2026-11-23T08:00:00Z", true, "2026-11-23T08:00:00Z", "2026-11-23T16:00:00Z"],
    ["2026-11-23T15:59:59Z", true, "2026-11-23T08:00:00Z", "2026-11-23T16:00:00Z"],
    ["2026-11-23T16:00:00Z", false, "2026-11-23T16:00:00Z", "2026-11-24T08:00:00Z"],
    ["2026-11-28T12:00:00Z", false, "2026-11-27T16:00:00Z", "2026-11-30T08:00:00Z"],
  ] as const)("at %s an allow window is open: %s", ([now, isOpen, since, until]) => {
    const state = stateAt(now, [{ allow: office }]);
    expect(state).toMatchObject({ isOpen, since, until });
    expect(state.clock.next()).toBe(until);
    expect(state.message).toBe(
      isOpen
        ? `the windows are open until ${until}`
        : `the windows are closed until ${until}: allow "0 9 * * 1-5" for 8h (Europe/Berlin)`,
    );
  });

  test("returns the same for any anchor that has passed", () => {
    const now = "2026-11-23T12:34:56Z";
    const states = [
      "2026-11-23T12:34:56Z",
      "2026-11-23T10:00:00Z",
      "2024-02-29T00:00:00Z",
      "1999-12-31T23:00:00Z",
    ];
    const [first, ...others] = states.map((anchor) => {
      const { clock: _, ...state } = stateAt(now, [{ allow: office }], anchor);
      return state;
    });
    for (const other of others) expect(other).toEqual(first);
  });

  test("prefers deny to allow", () => {
    const lunch = { cron: "0 12 * * *", duration: "1h", timeZone: zone };
    const both = [{ allow: office }, { deny: lunch }];
    expect(stateAt("2026-11-23T11:30:00Z", both)).toMatchObject({
      isOpen: false,
      since: "2026-11-23T11:00:00Z",
      until: "2026-11-23T12:00:00Z",
      message: 'the windows are closed until 2026-11-23T12:00:00Z: deny "0 12 * * *" for 1h (Europe/Berlin)',
    });
    expect(stateAt("2026-11-23T10:30:00Z", both)).toMatchObject({
      isOpen: true,
      until: "2026-11-23T11:00:00Z",
    });
    // Without an allow window, all other times are open.
    expect(stateAt("2026-11-22T03:00:00Z", [{ deny: lunch }])).toMatchObject({
      isOpen: true,
      until: "2026-11-22T11:00:00Z",
    });
  });

  test("joins overlapping and adjacent windows", () => {
    const until = "2026-11-24T07:00:00Z";
    const night = { cron: "0 17 * * *", duration: "15h", timeZone: zone };
    expect(stateAt("2026-11-23T10:00:00Z", [{ allow: office }, { allow: night }])).toMatchObject({
      isOpen: true,
      since: "2026-11-23T08:00:00Z",
      until,
    });
  });

  test("finds the opening behind a deny window that contains hundreds of edges of an allow window", () => {
    const often = { cron: "*/5 * * * *", duration: "1m" };
    const december = { cron: "0 0 1 12 *", duration: "744h" };
    expect(stateAt("2026-12-02T10:00:00Z", [{ allow: often }, { deny: december }])).toMatchObject({
      isOpen: false,
      until: "2027-01-01T00:00:00Z",
    });
  });

  test("finds the opening after a time without an allow window that contains hundreds of edges of a deny window", () => {
    const often = { cron: "*/5 * * * *", duration: "1m" };
    const january = { cron: "2 0 1 1 *", duration: "24h" };
    expect(stateAt("2026-12-02T10:00:00Z", [{ allow: january }, { deny: often }])).toMatchObject({
      isOpen: false,
      until: "2027-01-01T00:02:00Z",
    });
  });

  test("joins a working day of adjacent minutes", () => {
    const minutes = { cron: "* 9-16 * * 1-5", duration: "1m", timeZone: zone };
    expect(stateAt("2026-11-23T08:00:00Z", [{ deny: minutes }])).toMatchObject({
      isOpen: false,
      until: "2026-11-23T16:00:00Z",
    });
    expect(stateAt("2026-11-23T08:00:00Z", [{ allow: minutes }])).toMatchObject({
      isOpen: true,
      until: "2026-11-23T16:00:00Z",
    });
    // Overlapping spans are skipped to the end of the last one.
    const long = { cron: "* * 23-26 11 *", duration: "12h" };
    expect(stateAt("2026-11-23T10:00:00Z", [{ deny: long }]).until).toBe("2026-11-27T11:59:00Z");
  });

  test("does not search endlessly adjacent deny windows for an opening", () => {
    const always = { cron: "* * * * *", duration: "1m" };
    const state = stateAt("2026-11-23T10:00:30Z", [{ deny: always }]);
    expect(state).toMatchObject({ isOpen: false });
    expect(state.until).toBeUndefined();
  });

  test("does not report the end of endlessly adjacent windows, and still schedules a reconcile", () => {
    const always = { cron: "* * * * *", duration: "2m" };
    const state = stateAt("2026-11-23T10:00:30Z", [{ allow: always }]);
    expect(state).toMatchObject({ isOpen: true, message: "the windows are open" });
    expect(state.until).toBeUndefined();
    expect(state.clock.next()).toBe("2026-11-23T10:01:00Z");
  });

  test("uses the clock only for edges, and for few of them", () => {
    const { clock } = stateAt("2026-11-23T10:00:00Z", [{ allow: office }], "2020-01-01T00:00:00Z");
    expect(clock.asked.length + clock.passed()).toBeLessThan(60);
    for (const instant of clock.asked) expect(instant).toMatch(/T(07|08|15|16):00:00Z$/);
  });

  test("opens once at the end of the gap of a skipped local time", () => {
    const early = { cron: "30 2 * * *", duration: "20m", timeZone: zone };
    expect(stateAt("2026-03-29T01:00:00Z", [{ allow: early }])).toMatchObject({
      isOpen: true,
      since: "2026-03-29T01:00:00Z",
      until: "2026-03-29T01:20:00Z",
    });
    // All skipped times open at one instant.
    const quarters = { cron: "*/15 2 * * *", duration: "5m", timeZone: zone };
    expect(stateAt("2026-03-29T01:06:00Z", [{ allow: quarters }])).toMatchObject({
      isOpen: false,
      since: "2026-03-29T01:05:00Z",
      until: "2026-03-30T00:00:00Z",
    });
  });

  test("opens once at a repeated local time", () => {
    const early = { cron: "30 2 * * *", duration: "20m", timeZone: zone };
    expect(stateAt("2026-10-25T00:35:00Z", [{ allow: early }])).toMatchObject({ isOpen: true });
    expect(stateAt("2026-10-25T01:35:00Z", [{ allow: early }])).toMatchObject({
      isOpen: false,
      since: "2026-10-25T00:50:00Z",
      until: "2026-10-26T01:30:00Z",
    });
  });

  test("measures durations in elapsed time over both clock changes", () => {
    const night = { cron: "0 22 * * *", duration: "8h", timeZone: zone };
    expect(stateAt("2026-03-28T22:00:00Z", [{ allow: night }])).toMatchObject({
      isOpen: true,
      since: "2026-03-28T21:00:00Z",
      until: "2026-03-29T05:00:00Z",
    });
    expect(stateAt("2026-10-24T22:00:00Z", [{ allow: night }])).toMatchObject({
      isOpen: true,
      since: "2026-10-24T20:00:00Z",
      until: "2026-10-25T04:00:00Z",
    });
  });

  test("never opens if a cron expression never matches", () => {
    const never = { cron: "0 0 31 2 *", duration: "1h", timeZone: zone };
    const state = stateAt("2026-11-23T10:00:00Z", [{ allow: never }]);
    expect(state).toMatchObject({ isOpen: false });
    expect(state.until).toBeUndefined();
    expect(stateAt("2026-11-23T10:00:00Z", [{ deny: never }])).toMatchObject({ isOpen: true });
  });

  test.for([
    [{ ...office, timeZone: "Europe/Nowhere" }, 'the time zone "Europe/Nowhere" is not known'],
    [{ ...office, cron: "0 9 * *" }, 'cannot read the cron expression "0 9 * *"'],
    [{ ...office, cron: "0 25 * * *" }, 'cannot read the cron expression "0 25 * * *"'],
    [{ ...office, cron: "0 0 9 * * 1" }, 'cannot read the cron expression "0 0 9 * * 1"'],
    [{ ...office, cron: "@daily" }, 'cannot read the cron expression "@daily"'],
    [{ ...office, duration: "eight hours" }, 'cannot read the duration "eight hours"'],
    [{ ...office, duration: "0h" }, 'cannot read the duration "0h"'],
    [{ ...office, duration: "9000h" }, 'cannot read the duration "9000h"'],
  ] as const)("is closed by an unreadable window: %j", ([window, why]) => {
    const always = { allow: { cron: "* * * * *", duration: "1h" } };
    for (const wrong of [{ allow: window }, { deny: window }]) {
      const state = stateAt("2026-11-23T10:00:00Z", [always, wrong]);
      expect(state).toMatchObject({ isOpen: false, message: `the windows are closed: ${why}` });
      expect(state.clock.asked).toEqual([]);
    }
  });

  test("is closed by a window that is neither, or both", () => {
    for (const wrong of [{}, { allow: office, deny: office }])
      expect(stateAt("2026-11-23T10:00:00Z", [wrong])).toMatchObject({
        isOpen: false,
        message: "the windows are closed: a window must have either allow or deny",
      });
  });
});
