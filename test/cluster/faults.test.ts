import { afterAll, beforeAll, expect, test } from "vitest";
import { describeSchedule } from "../../rig/faults/describe.ts";
import { runSchedule } from "../../rig/faults/run-schedule.ts";
import { localFaults, makeSchedule } from "../../rig/faults/schedule.ts";
import { createSharedSetup, type SharedSetup } from "../../rig/faults/shared-setup.ts";
import { isLong } from "../long.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:faults`: one schedule; in CI three, which contain most kinds of faults. The cluster is shared
// with other tests, so none of its programs is restarted.
let shared: SharedSetup;
beforeAll(async () => {
  shared = await createSharedSetup(testCluster());
});
afterAll(() => shared.close());

test.concurrent.for(isLong ? [55, 116, 139] : [55])(
  "with the faults of schedule %i, all resources recover",
  { timeout: 1_800_000 },
  async (seed) => {
    const schedule = makeSchedule(seed, { types: localFaults });
    const { violations, log } = await runSchedule(schedule, shared);
    const details =
      violations.length === 0 ? "" : [describeSchedule(schedule), ...log.slice(-100)].join("\n");
    expect(violations, details).toEqual([]);
  },
);
