import { expect, test } from "vitest";
import { reportText } from "../../../../rig/bench/report/text.ts";

test("reportText() shows both operators side by side, with ratio, limit and the exceeded limits", () => {
  const results = [1, 2].flatMap((round) => [
    {
      scenario: "edit",
      n: 100,
      implementation: "fairlead",
      round,
      latency_ms: { p50: 3 + round },
      commits: 5,
      errors: {},
    },
    { scenario: "edit", n: 100, implementation: "podset-go", round, latency_ms: { p50: 2 } },
  ]);
  const text = reportText(results);
  expect(text).toContain("## edit, 100 resources");
  expect(text).toMatch(
    /\| child right, p50, ms \| fairlead +\| 4\.5 \[4, 5\] +\| 2 \[2, 2\] +\| 2\.25 \[2, 2\.5\] \| ≤ 1 × +\| NO +\|/,
  );
  expect(text).toContain("fairlead, round 1: commits 5\n");
  expect(text).not.toContain("errors");
  expect(text).toContain("- edit: child right, p50, ms, fairlead (≤ 1 ×)");
});

test("reportText() reports that every limit is met", () => {
  const results = [{ scenario: "cold", n: 100, implementation: "fairlead", round: 1, writes: 0 }];
  expect(reportText(results)).toContain("Every line that was measured holds");
});
