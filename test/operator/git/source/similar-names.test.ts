import { expect, test } from "vitest";
import { describeSimilarNames } from "../../../../operator/git/source/similar-names.ts";

test.for([
  { wanted: "mian", names: [], told: "" },
  { wanted: "mian", names: ["release", "main"], told: '; existing names: "main", "release"' },
  {
    wanted: "web",
    names: ["wb", "webs", "api", "base", "x", "jobs", "web2"],
    told: '; existing names: "wb", "web2", "webs", "api", "jobs" and 2 more',
  },
  { wanted: "x", names: ['"\n'], told: '; existing names: "\\"\\n"' },
])("describeSimilarNames() returns for $wanted among $names: $told", ({ wanted, names, told }) => {
  expect(describeSimilarNames(wanted, names)).toBe(told);
});

test("describeSimilarNames() computes the distance of at most a hundred names", () => {
  // Its first and its last character differ from the wanted name, so that the cheap estimate ranks it last.
  const near = "xbcdefghix";
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${`${index}`.padStart(8, "0")}z`);
  expect(describeSimilarNames("abcdefghij", [...others(99), near])).toContain(`existing names: "${near}"`);
  expect(describeSimilarNames("abcdefghij", [...others(100), near])).not.toContain(near);
});
