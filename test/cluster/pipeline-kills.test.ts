import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipelineWorld } from "../../rig/faults/pipelines/pipeline-world.ts";
import { playPoints } from "../../rig/faults/pipelines/play-points.ts";
import { makePoints } from "../../rig/faults/pipelines/points.ts";
import type { World } from "../../rig/faults/world.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:pipeline-kills`: two scenes at the same time, two kills each.
let world: World;
beforeAll(async () => {
  world = await createPipelineWorld(testCluster());
});
afterAll(() => world.close());

test.concurrent.for([7, 8])(
  "check 31: an operator that is killed while it promotes repeats no action and skips no gate (seed %i)",
  { timeout: 900_000 },
  async (seed) => {
    const told: string[] = [];
    const onPoint = (text: string): void => void told.push(text);
    const { violations, log } = await playPoints(world, { seed, points: makePoints(seed, 2), onPoint });
    const story = violations.length === 0 ? "" : [...told, ...log.slice(-100)].join("\n");
    expect(violations, story).toEqual([]);
  },
);
