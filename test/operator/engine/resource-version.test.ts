import { describe, expect, test } from "vitest";
import { compareResourceVersions, isNewer, newestOf } from "../../../operator/engine/resource-version.ts";

describe("compareResourceVersions()", () => {
  test.for([
    { older: "", newer: "0" },
    { older: "", newer: "1" },
    { older: "9", newer: "10" },
    { older: "99", newer: "100" },
    { older: "1023", newer: "1024" },
    // The last digits are beyond what a JavaScript number holds.
    { older: "9007199254740992", newer: "9007199254740993" },
    { older: "340282366920938463463374607431768211454", newer: "340282366920938463463374607431768211455" },
  ])("'$older' is older than '$newer'", ({ older, newer }) => {
    expect(compareResourceVersions(older, newer)).toBeLessThan(0);
    expect(compareResourceVersions(newer, older)).toBeGreaterThan(0);
    expect(isNewer(newer, older)).toBe(true);
    expect(isNewer(older, newer)).toBe(false);
    expect(newestOf(older, newer)).toBe(newer);
    expect(newestOf(newer, older)).toBe(newer);
  });

  test("a version is equal to itself", () => {
    expect(compareResourceVersions("12", "12")).toBe(0);
    expect(isNewer("12", "12")).toBe(false);
  });
});
