import { afterAll, beforeAll, expect, test } from "vitest";
import { makePoints } from "../../rig/faults/releases/points.ts";
import { createReleaseSetup } from "../../rig/faults/releases/release-setup.ts";
import { runPoints } from "../../rig/faults/releases/run-points.ts";
import type { SharedSetup } from "../../rig/faults/shared-setup.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:release-kills`, which CI runs: two runs of two kills at the same time.
let shared: SharedSetup;
beforeAll(async () => {
  shared = await createReleaseSetup(testCluster());
});
afterAll(() => shared.close());

test.concurrent.for([7, 8])(
  "an operator that is killed during a deployment leaves no object that no Release tracks (seed %i)",
  { timeout: 900_000 },
  async (seed) => {
    const progress: string[] = [];
    const onPoint = (text: string): void => void progress.push(text);
    const { violations, log } = await runPoints(shared, { seed, points: makePoints(seed, 2), onPoint });
    const details = violations.length === 0 ? "" : [...progress, ...log.slice(-100)].join("\n");
    expect(violations, details).toEqual([]);
  },
);
