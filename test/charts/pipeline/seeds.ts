import { expect } from "vitest";
import { changing, foul, simulate } from "./simulation.ts";

/** Plays seeds, half of them with many upgrades, changed inputs and requests, and every second one with approvals. `simulate()` with the same seed repeats the same hours. */
export function expectRules({ seeds, hours }: { readonly seeds: number; readonly hours: number }): void {
  for (let seed = 1; seed <= seeds; seed++) {
    const weather = seed % 4 < 2 ? foul : changing;
    const report = simulate({ seed, hours, weather: { ...weather, approvals: seed % 2 === 0 } });
    expect(report, `seed ${seed}`).toMatchObject({ violations: [], arrived: ["dev", "staging", "prod"] });
    expect(report.mostPromotions, `seed ${seed}`).toBeLessThan(150);
    expect(report.mostCandidates, `seed ${seed}`).toBeLessThan(40);
  }
}
