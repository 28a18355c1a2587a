import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeSchedule } from "../../../rig/faults/describe.ts";
import { faultTexts } from "../../../rig/faults/fault-types.ts";
import { localFaults, makeSchedule } from "../../../rig/faults/schedule.ts";

const anySeed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe("makeSchedule()", () => {
  test("creates the same schedule for the same seed, and another one for another", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        expect(makeSchedule(seed)).toEqual(makeSchedule(seed));
      }),
    );
    expect(makeSchedule(1).edits).not.toEqual(makeSchedule(2).edits);
  });

  test("has ordered times within its duration, and ascending numbers of edits", () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { edits, faults, endMs } = makeSchedule(seed);
        for (const list of [edits, faults]) {
          const times = list.map(({ atMs }) => atMs);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(Math.max(0, ...times)).toBeLessThanOrEqual(endMs);
        }
        expect(edits.map(({ version }) => version)).toEqual(edits.map((_, index) => 1_001 + index));
        expect(faults.every(({ forMs }) => forMs > 0)).toBe(true);
      }),
    );
  });

  test("has every type of fault in its first 300 seeds", () => {
    const seen = new Set(
      Array.from({ length: 300 }, (_, seed) => makeSchedule(seed).faults.map(({ type }) => type)).flat(),
    );
    expect([...seen].toSorted()).toEqual(Object.keys(faultTexts).toSorted());
  });

  test("drops the unwanted parts, and does not change the others", () => {
    fc.assert(
      fc.property(anySeed, fc.subarray([...localFaults]), (seed, types) => {
        const whole = makeSchedule(seed);
        const part = makeSchedule(seed, { types });
        expect(part.edits).toEqual(whole.edits);
        expect(part.faults).toEqual(whole.faults.filter(({ type }) => types.includes(type)));
      }),
    );
  });
});

test("describeSchedule() has a line for each edit and each fault, in the order of time", () => {
  const schedule = makeSchedule(7);
  const [head, ...lines] = describeSchedule(schedule).split("\n");
  expect(head).toContain("schedule 7");
  expect(lines).toHaveLength(schedule.edits.length + schedule.faults.length + 1);
  const times = lines.map((line) => Number(/^ *(\d+) ms/.exec(line)?.[1]));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
