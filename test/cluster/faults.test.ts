import { afterAll, beforeAll, expect, test } from "vitest";
import { describeSchedule } from "../../rig/faults/describe.ts";
import { play } from "../../rig/faults/play.ts";
import { localFaults, makeSchedule } from "../../rig/faults/schedule.ts";
import { createWorld, type World } from "../../rig/faults/world.ts";
import { isLong } from "../long.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:faults`: one schedule; in CI three, which contain most kinds of faults. The cluster is shared
// with other tests, so none of its programs is restarted.
let world: World;
beforeAll(async () => {
  world = await createWorld(testCluster());
});
afterAll(() => world.close());

test.concurrent.for(isLong ? [55, 116, 139] : [55])(
  "with the faults of schedule %i, all resources recover",
  { timeout: 720_000 },
  async (seed) => {
    const schedule = makeSchedule(seed, { types: localFaults });
    const { violations, log } = await play(schedule, world);
    const story = violations.length === 0 ? "" : [describeSchedule(schedule), ...log.slice(-100)].join("\n");
    expect(violations, story).toEqual([]);
  },
);
