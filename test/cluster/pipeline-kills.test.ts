import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipelineSetup } from "../../rig/faults/pipelines/pipeline-setup.ts";
import { makePoints } from "../../rig/faults/pipelines/points.ts";
import { runPoints } from "../../rig/faults/pipelines/run-points.ts";
import type { SharedSetup } from "../../rig/faults/shared-setup.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:pipeline-kills`, which CI runs: two runs of two kills at the same time.
let shared: SharedSetup;
beforeAll(async () => {
  shared = await createPipelineSetup(testCluster());
});
afterAll(() => shared.close());

test.concurrent.for([7, 8])(
  "check 31: an operator that is killed while it promotes repeats no action and skips no gate (seed %i)",
  { timeout: 900_000 },
  async (seed) => {
    const progress: string[] = [];
    const onPoint = (text: string): void => void progress.push(text);
    const { violations, log } = await runPoints(shared, { seed, points: makePoints(seed, 2), onPoint });
    const details = violations.length === 0 ? "" : [...progress, ...log.slice(-100)].join("\n");
    expect(violations, details).toEqual([]);
  },
);
