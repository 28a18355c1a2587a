import { describe, expect, test } from "vitest";
import { instantMs } from "../../crds/kind-context.ts";

describe("instantMs()", () => {
  test.for([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.250000Z", "2026-01-01T00:00:00.250Z"],
    ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000Z"],
    [new Date("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00.000Z"],
  ] as const)("reads %s", ([instant, time]) => {
    expect(new Date(instantMs(instant)).toISOString()).toBe(time);
  });

  test.for(["", "2026-01-01", "2026-01-01T00:00:00", "1767225600", "2026-13-01T00:00:00Z", new Date("x")])(
    "refuses %s",
    (instant) => {
      expect(() => instantMs(instant)).toThrow(RangeError);
    },
  );
});
