import { expect, test } from "vitest";
import { tellNearbyNames } from "../../../../operator/release/sources/nearby-names.ts";

test.for([
  { wanted: "mian", names: [], told: "" },
  { wanted: "mian", names: ["release", "main"], told: '; there are "main", "release"' },
  {
    wanted: "web",
    names: ["wb", "webs", "api", "base", "x", "jobs", "web2"],
    told: '; there are "wb", "web2", "webs", "api", "jobs" and 2 more',
  },
  { wanted: "x", names: ['"\n'], told: '; there are "\\"\\n"' },
])("tellNearbyNames() says of $wanted among $names: $told", ({ wanted, names, told }) => {
  expect(tellNearbyNames(wanted, names)).toBe(told);
});
