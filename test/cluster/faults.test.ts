import { afterAll, beforeAll, expect, test } from "vitest";
import { describeSchedule } from "../../rig/faults/describe.ts";
import { play } from "../../rig/faults/play.ts";
import { localFaults, makeSchedule } from "../../rig/faults/schedule.ts";
import { createWorld, type World } from "../../rig/faults/world.ts";
import { testCluster } from "./fixture.ts";

// The short form of `npm run test:faults`. Between them these schedules have most kinds of faults; the cluster is shared
// with other tests, so nothing of it is restarted.
let world: World;
beforeAll(async () => {
  world = await createWorld(testCluster());
});
afterAll(() => world.close());

test.concurrent.for([55, 116, 139])(
  "whatever goes wrong in schedule %i, all is well in the end",
  { timeout: 720_000 },
  async (seed) => {
    const schedule = makeSchedule(seed, { types: localFaults });
    const { violations, log } = await play(schedule, world);
    const story = violations.length === 0 ? "" : [describeSchedule(schedule), ...log.slice(-100)].join("\n");
    expect(violations, story).toEqual([]);
  },
);
