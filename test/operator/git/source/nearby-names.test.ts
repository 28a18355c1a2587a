import { expect, test } from "vitest";
import { tellNearbyNames } from "../../../../operator/git/source/nearby-names.ts";

test.for([
  { wanted: "mian", names: [], told: "" },
  { wanted: "mian", names: ["release", "main"], told: '; existing names: "main", "release"' },
  {
    wanted: "web",
    names: ["wb", "webs", "api", "base", "x", "jobs", "web2"],
    told: '; existing names: "wb", "web2", "webs", "api", "jobs" and 2 more',
  },
  { wanted: "x", names: ['"\n'], told: '; existing names: "\\"\\n"' },
])("tellNearbyNames() says of $wanted among $names: $told", ({ wanted, names, told }) => {
  expect(tellNearbyNames(wanted, names)).toBe(told);
});

test("tellNearbyNames() works out the distance of a hundred names at most", { timeout: 10_000 }, () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${index}`.padEnd(100, "ab"));
  // With the distances of all names, 300 times take 40 s instead of 1.
  for (let times = 0; times < 300; times++) {
    expect(tellNearbyNames("x".repeat(100), names)).toContain(" and 1995 more");
  }
});
