import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { takesHours } from "../../long.ts";
import { fair, foul, simulate } from "./simulation.ts";
import { minute } from "./stages.ts";

describe("a Pipeline in virtual time", () => {
  const hours = takesHours ? 24 : 4;

  test(`check 2: with one commit a minute and a soak of 10 minutes, ${hours * 6 - 4} candidates pass staging in ${hours} hours, and prod is never older than two soaks`, () => {
    const report = simulate({ seed: 1, hours, weather: fair });
    expect(report.violations).toEqual([]);
    expect(report.passed).toBeGreaterThanOrEqual(hours * 6 - 4);
    // The newest commit is up to a minute old when staging takes it.
    expect(report.oldestInProdMs).toBeLessThanOrEqual(22 * minute);
    expect(report.arrived).toEqual(["dev", "staging", "prod"]);
  }, 600_000);

  test(
    "keeps the rules of section 3 through failures, freezes, rollbacks, hotfixes, upgrades and restarts",
    () => {
      const runs = takesHours ? { numRuns: 100, hours: 24 } : { numRuns: 4, hours: 1 };
      fc.assert(
        fc.property(fc.integer({ min: 0 }), fc.boolean(), (seed, approvals) => {
          const report = simulate({ seed, hours: runs.hours, weather: { ...foul, approvals } });
          expect(report.violations).toEqual([]);
          expect(report.arrived).toEqual(["dev", "staging", "prod"]);
          expect(report.mostPromotions).toBeLessThan(150);
          expect(report.mostCandidates).toBeLessThan(40);
        }),
        { numRuns: runs.numRuns, seed: 20_261_123, endOnFailure: true },
      );
    },
    takesHours ? 14_400_000 : 300_000,
  );
});
