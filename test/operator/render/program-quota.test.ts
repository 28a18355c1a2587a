import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUse, decideRun, type UsedMinute } from "../../../operator/render/program-quota.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("decideRun()", () => {
  const at = (minute: number, seconds: number): UsedMinute => ({ minute, ms: seconds * 1_000 });
  test.for([
    { what: "nothing ran", used: [], open: 0, nowMin: 5, gives: { state: "run" } },
    { what: "some of it is left", used: [at(1, 99)], open: 0, nowMin: 5, gives: { state: "run" } },
    {
      what: "all of it is used: wait until the oldest relevant minute is an hour old",
      used: [at(1, 40), at(2, 40), at(3, 20)],
      open: 0,
      nowMin: 5,
      gives: { state: "used-up", untilMs: 62 * MINUTE },
    },
    {
      what: "more than all is used: wait until enough of it is an hour old",
      used: [at(1, 40), at(2, 40), at(3, 90)],
      open: 0,
      nowMin: 5,
      gives: { state: "used-up", untilMs: 63 * MINUTE },
    },
    {
      what: "the used time is an hour old",
      used: [at(1, 900)],
      open: 0,
      nowMin: 62,
      gives: { state: "run" },
    },
    {
      what: "the used time is not quite an hour old",
      used: [at(1, 900)],
      open: 0,
      nowMin: 61.99,
      gives: { state: "used-up", untilMs: 62 * MINUTE },
    },
    {
      what: "running programs may use the rest: wait until one of them ends",
      used: [at(1, 40)],
      open: 60,
      nowMin: 5,
      gives: { state: "wait" },
    },
    {
      what: "running programs leave some of it",
      used: [at(1, 40)],
      open: 59,
      nowMin: 5,
      gives: { state: "run" },
    },
    { what: "one run may use more than all", used: [], open: 900, nowMin: 5, gives: { state: "wait" } },
  ] as const)("$what", ({ used, open, nowMin, gives }) => {
    const input = { used, openMs: open * 1_000, quotaMs: 100_000, nowMs: nowMin * MINUTE };
    expect(decideRun(input)).toEqual(gives);
  });
});

describe("the quota of program seconds", () => {
  const history = fc.record({
    quotaMs: fc.integer({ min: 1_000, max: 20 * MINUTE }),
    // Each run: the time from the previous request to its own, its maximum duration, and the share that it uses.
    runs: fc.array(
      fc.record({
        afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 * MINUTE })),
        mostMs: fc.integer({ min: 1, max: 5 * MINUTE }),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 60 },
    ),
  });

  test("is exceeded by one run at most within any hour, and each run starts eventually", () => {
    fc.assert(
      fc.property(history, ({ quotaMs, runs }) => {
        const ran = simulate(quotaMs, runs);
        expect(ran).toHaveLength(runs.length);
        const longest = Math.max(0, ...runs.map(({ mostMs }) => mostMs));
        for (const { beganMs, endMs } of ran)
          for (const fromMs of [beganMs, endMs, endMs - HOUR])
            expect(usedBetween(ran, fromMs, fromMs + HOUR)).toBeLessThanOrEqual(quotaMs + longest);
      }),
    );
  });

  test("keeps a history of at most an hour and a minute", () => {
    let used: readonly UsedMinute[] = [];
    for (let second = 0; second < 4 * 3_600; second += 7) used = addUse(used, 10, second * 1_000);
    expect(used.length).toBeLessThanOrEqual(62);
  });
});

interface Ran {
  readonly beganMs: number;
  readonly endMs: number;
}

/** Runs in their order, each as soon as the decision allows it. */
function simulate(
  quotaMs: number,
  runs: readonly { readonly afterMs: number; readonly mostMs: number; readonly part: number }[],
): Ran[] {
  let used: readonly UsedMinute[] = [];
  let open: { readonly endMs: number; readonly beganMs: number; readonly mostMs: number }[] = [];
  const ran: Ran[] = [];
  let nowMs = 0;
  const advance = (toMs: number): void => {
    for (const run of open.filter(({ endMs }) => endMs <= toMs).toSorted((a, b) => a.endMs - b.endMs))
      used = addUse(used, run.endMs - run.beganMs, run.endMs);
    open = open.filter(({ endMs }) => endMs > toMs);
    nowMs = toMs;
  };
  for (const { afterMs, mostMs, part } of runs) {
    advance(nowMs + afterMs);
    for (;;) {
      const openMs = open.reduce((sum, run) => sum + run.mostMs, 0);
      const decision = decideRun({ used, openMs, quotaMs, nowMs });
      if (decision.state === "run") break;
      const ends = open.map(({ endMs }) => endMs);
      advance(Math.min(...ends, decision.state === "used-up" ? decision.untilMs : Number.POSITIVE_INFINITY));
    }
    open.push({ beganMs: nowMs, endMs: nowMs + mostMs * part, mostMs });
    ran.push({ beganMs: nowMs, endMs: nowMs + mostMs * part });
  }
  return ran;
}

function usedBetween(ran: readonly Ran[], fromMs: number, toMs: number): number {
  const parts = ran.map(({ beganMs, endMs }) => Math.min(endMs, toMs) - Math.max(beganMs, fromMs));
  return parts.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}
