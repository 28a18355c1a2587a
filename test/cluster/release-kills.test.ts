import { afterAll, beforeAll, expect, test } from "vitest";
import { playPoints } from "../../rig/faults/releases/play-points.ts";
import { makePoints } from "../../rig/faults/releases/points.ts";
import { createReleaseWorld } from "../../rig/faults/releases/release-world.ts";
import type { World } from "../../rig/faults/world.ts";
import { isLong } from "../long.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:release-kills`: two kills in a stage; in CI two stages at the same time.
let world: World;
beforeAll(async () => {
  world = await createReleaseWorld(testCluster());
});
afterAll(() => world.close());

test.concurrent.for(isLong ? [7, 8] : [7])(
  "an operator that is killed during a deployment leaves no object that no Release tracks (seed %i)",
  { timeout: 900_000 },
  async (seed) => {
    const told: string[] = [];
    const onPoint = (text: string): void => void told.push(text);
    const { violations, log } = await playPoints(world, { seed, points: makePoints(seed, 2), onPoint });
    const story = violations.length === 0 ? "" : [...told, ...log.slice(-100)].join("\n");
    expect(violations, story).toEqual([]);
  },
);
