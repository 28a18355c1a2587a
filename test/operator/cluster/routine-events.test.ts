import { expect, test } from "vitest";
import { KubeEventRecorder } from "../../../operator/cluster/events.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { scriptedCluster } from "./fixture.ts";

const deployed = {
  type: "Normal",
  reason: "Deployed",
  action: "Deploy",
  note: "a",
  isRoutine: true,
} as const;
const failed = { type: "Warning", reason: "ApplyRejected", action: "Apply", note: "no room" } as const;

test("of routine events of all objects 25 are written at once, then one a second; and every other one", async () => {
  const clock = new FakeClock();
  await using cluster = await scriptedCluster({ clock });
  cluster.server.script = (_, answer) => answer.json(200, {});
  const { transport, server } = cluster;
  const fence = { check() {} };
  const recorder = new KubeEventRecorder({ transport, fence, clock, random: () => 0.5, instance: "pod-0" });
  const record = (first: number, last: number) => {
    for (let count = first; count <= last; count++)
      recorder.record(aLiveObject({ name: `web-${count}`, uid: `uid-${count}` }), deployed);
  };
  const bodies = () => server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  record(1, 1_000);
  recorder.record(aLiveObject({ name: "web" }), failed);
  await recorder.drained();
  expect(server.requests).toHaveLength(26);
  expect(bodies()[0]).not.toHaveProperty("isRoutine");
  expect(bodies().at(-1)).toMatchObject({ reason: "ApplyRejected" });
  expect(recorder.stats).toEqual({ written: 26, dropped: 975 });

  await clock.advance(3_000);
  record(1_001, 1_010);
  await recorder.drained();
  expect(server.requests).toHaveLength(29);
});
