import { expect, test } from "vitest";
import { reportDelayMs } from "../../../operator/core/report-delay.ts";

test.for([
  { says: "one that comes alone tells at once", count: 1, first: 0, last: 0 },
  { says: "a few follow each other in steps", count: 5, first: 0, last: 80 },
  { says: "many are all under way within half a second", count: 1_000, first: 0, last: 499.5 },
])("$says", ({ count, first, last }) => {
  expect(reportDelayMs(0, count)).toBe(first);
  expect(reportDelayMs(count - 1, count)).toBeCloseTo(last);
});
