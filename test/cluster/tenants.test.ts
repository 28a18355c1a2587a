import { expect, test } from "vitest";
import { runActions } from "../../rig/tenants/run-actions.ts";
import { testCluster } from "./fixture.ts";

const actions = 30;

// The short form of `npm run test:tenants`: two runs at the same time, in which the tenants have swapped roles.
test.concurrent.for([4, 5])(
  "a malicious tenant changes nothing of another one (seed %i)",
  { timeout: 300_000 + 30_000 * actions },
  async (seed) => {
    const progress: string[] = [];
    const onRound = (text: string): void => void progress.push(text);
    const { violations, log, actions: made } = await runActions(testCluster(), { seed, actions, onRound });
    expect(violations, violations.length === 0 ? "" : [...progress, ...log].join("\n")).toEqual([]);
    expect(made).toBe(actions);
  },
);
