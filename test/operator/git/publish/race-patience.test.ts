import { describe, expect, test } from "vitest";
import { RacePatience } from "../../../../operator/git/publish/race-patience.ts";

describe("RacePatience", () => {
  test.for([
    { does: "spreads the first attempts over four rounds", losses: 1, random: 0.5, waitMs: 200 },
    { does: "may allow a first attempt at once", losses: 1, random: 0, waitMs: 0 },
    { does: "prefers a writer that lost six times", losses: 6, random: 0.5, waitMs: 50 },
  ])("$does", ({ losses, random, waitMs }) => {
    const patience = new RacePatience(() => random);
    for (let loss = 1; loss < losses; loss++) patience.lost(100);
    expect(patience.lost(100)).toBe(waitMs);
  });

  test("never waits longer than two seconds, even if the remote is slow", () => {
    expect(new RacePatience(() => 1).lost(60_000)).toBe(2_000);
  });

  test("is reset after a successful push", () => {
    const patience = new RacePatience(() => 1);
    for (let loss = 1; loss <= 10; loss++) patience.lost(100);
    patience.won();
    expect(patience.lost(100)).toBe(400);
  });
});
