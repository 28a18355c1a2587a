import { describe, expect, test } from "vitest";
import { takesHours } from "../../long.ts";
import { changing, fair, foul, simulate } from "./simulation.ts";
import { minute } from "./stages.ts";

describe("a Pipeline in virtual time", () => {
  const hours = takesHours ? 24 : 4;

  test("check 2: with one commit a minute and a soak of 10 minutes, six candidates an hour pass staging, and prod is never older than two soaks", () => {
    const report = simulate({ seed: 1, hours, weather: fair });
    expect(report.violations).toEqual([]);
    expect(report.passed).toBeGreaterThanOrEqual(hours * 6 - 4);
    // The newest commit is up to a minute old when staging starts it.
    expect(report.oldestInProdMs).toBeLessThanOrEqual(22 * minute);
    expect(report.arrived).toEqual(["dev", "staging", "prod"]);
  }, 600_000);

  // `simulate()` with the same seed repeats the same hours.
  const runs = takesHours
    ? [
        { seeds: 100, hours: 24 },
        { seeds: 10_000, hours: 1 },
      ]
    : [{ seeds: 4, hours: 1 }];

  test.for(runs)(
    "satisfies the rules of section 3 with failures, freezes, rollbacks, hotfixes, upgrades and restarts: $seeds seeds of $hours h",
    { timeout: takesHours ? 14_400_000 : 300_000 },
    ({ seeds, hours: length }) => {
      for (let seed = 1; seed <= seeds; seed++) {
        const weather = seed % 4 < 2 ? foul : changing;
        const report = simulate({
          seed,
          hours: length,
          weather: { ...weather, approvals: seed % 2 === 0 },
        });
        expect(report, `seed ${seed}`).toMatchObject({ violations: [], arrived: ["dev", "staging", "prod"] });
        expect(report.mostPromotions, `seed ${seed}`).toBeLessThan(150);
        expect(report.mostCandidates, `seed ${seed}`).toBeLessThan(40);
      }
    },
  );
});
