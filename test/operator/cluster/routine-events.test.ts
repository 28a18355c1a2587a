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

async function aRecorder() {
  const clock = new FakeClock();
  const cluster = await scriptedCluster({ clock });
  const { transport, server } = cluster;
  server.script = (_, answer) => answer.json(200, {});
  const fence = { check() {} };
  return {
    clock,
    server,
    recorder: new KubeEventRecorder({ transport, fence, clock, random: () => 0.5, instance: "pod-0" }),
    bodies: () => server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

test("of routine events of all objects 25 are written at once, then one a second; every other event is written", async () => {
  await using run = await aRecorder();
  const { clock, recorder, server, bodies } = run;
  const record = (first: number, last: number) => {
    for (let count = first; count <= last; count++)
      recorder.record(aLiveObject({ name: `web-${count}`, uid: `uid-${count}` }), deployed);
  };

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

test("a warning is written although there was a deployment a minute for an hour", async () => {
  await using run = await aRecorder();
  const { clock, recorder, bodies } = run;
  const web = aLiveObject({ name: "web" });
  for (let minute = 0; minute < 60; minute++) {
    recorder.record(web, { ...deployed, note: `commit ${minute}` });
    await clock.advance(60_000);
    await recorder.drained();
  }
  // Warnings have a limit too.
  expect(bodies().filter(({ reason }) => reason === "Deployed").length).toBeLessThan(60);
  recorder.record(web, failed);
  await recorder.drained();
  expect(bodies().at(-1)).toMatchObject({ reason: "ApplyRejected", type: "Warning" });
});
