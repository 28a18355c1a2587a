import { expect, test } from "vitest";
import { playMoves } from "../../rig/tenants/play.ts";
import { isLong } from "../long.ts";
import { testCluster } from "./fixture.ts";

const moves = 30;

// The short form of `npm run test:tenants`; in CI two stages at the same time, in which the tenants have swapped roles.
test.concurrent.for(isLong ? [4, 5] : [4])(
  "a malicious tenant changes nothing of another one (seed %i)",
  { timeout: 300_000 },
  async (seed) => {
    const told: string[] = [];
    const onRound = (text: string): void => void told.push(text);
    const { violations, story, moves: made } = await playMoves(testCluster(), { seed, moves, onRound });
    expect(violations, violations.length === 0 ? "" : [...told, ...story].join("\n")).toEqual([]);
    expect(made).toBe(moves);
  },
);
