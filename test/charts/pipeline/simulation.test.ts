import { describe, expect, test } from "vitest";
import { takesHours } from "../../long.ts";
import { expectRules } from "./seeds.ts";
import { fair, simulate } from "./simulation.ts";
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

  const seeds = takesHours ? 10_000 : 4;

  test(
    `satisfies the rules of section 3 with failures, freezes, rollbacks, hotfixes, upgrades and restarts: ${seeds} seeds of 1 h`,
    { timeout: takesHours ? 14_400_000 : 300_000 },
    () => expectRules({ seeds, hours: 1 }),
  );
});
