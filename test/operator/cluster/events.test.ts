import { describe, expect, test } from "vitest";
import { KubeEventRecorder } from "../../../operator/cluster/events.ts";
import { NotLeadingError } from "../../../operator/errors.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import type { Script } from "../../fakes/scripted-api-server.ts";
import { scriptedCluster } from "./fixture.ts";

const failed = { type: "Warning", reason: "ApplyRejected", action: "Apply", note: "no room" } as const;
const web = aLiveObject({ name: "web" });

async function aRecorder(script: Script = (_request, answer) => answer.json(200, {})) {
  const clock = new FakeClock();
  const cluster = await scriptedCluster({ clock });
  cluster.server.script = script;
  const leading = { is: true };
  const fence = {
    check() {
      if (!leading.is) throw new NotLeadingError();
    },
  };
  const { transport } = cluster;
  const recorder = new KubeEventRecorder({ transport, fence, clock, random: () => 0.5, instance: "pod-0" });
  const bodies = () => cluster.server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return {
    clock,
    cluster,
    recorder,
    leading,
    writes: () => cluster.server.requests.map(({ method }) => method),
    notes: () => bodies().map(({ note }) => note),
    bodies,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

describe("KubeEventRecorder", () => {
  test("writes the first occurrence at once", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, failed);
    await run.recorder.drained();
    const [request] = run.cluster.server.requests;
    expect(request?.path).toBe("/apis/events.k8s.io/v1/namespaces/shop/events");
    expect(run.bodies()).toEqual([
      {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: "web.8000000080000000", namespace: "shop" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "fairlead.dev/operator",
        reportingInstance: "pod-0",
        regarding: {
          apiVersion: "example.dev/v1alpha1",
          kind: "Widget",
          name: "web",
          namespace: "shop",
          uid: "uid-of-web",
          resourceVersion: "1",
        },
        ...failed,
      },
    ]);
  });

  test("writes 100 occurrences in 10 s as one object, in at most 3 writes", async () => {
    await using run = await aRecorder();
    for (let count = 0; count < 100; count++) {
      run.recorder.record(web, { ...failed, note: `attempt ${count}` });
      await run.clock.advance(100);
    }
    await run.recorder.drained();
    expect(run.writes()).toEqual(["POST", "PATCH"]);
    expect(run.bodies()[1]).toMatchObject({ series: { count: 2 } });
    await run.clock.advance(7 * 60_000);
    await run.recorder.drained();
    expect(run.writes()).toEqual(["POST", "PATCH", "PATCH"]);
    expect(run.bodies()[2]).toEqual({
      series: { count: 100, lastObservedTime: "2026-01-01T00:00:09.900000Z" },
    });
    await run.clock.advance(60 * 60_000);
    expect(run.writes()).toHaveLength(3);
    expect(run.clock.pendingDelaysMs).toEqual([]);
  });

  test("writes the count of a continuing series every 30 minutes", async () => {
    await using run = await aRecorder();
    for (let minute = 0; minute <= 62; minute++) {
      run.recorder.record(web, failed);
      await run.clock.advance(60_000);
      await run.recorder.drained();
    }
    expect(run.writes()).toEqual(["POST", "PATCH", "PATCH", "PATCH"]);
  });

  test("starts a new series after 6 minutes without an occurrence", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, failed);
    await run.clock.advance(8 * 60_000);
    run.recorder.record(web, failed);
    await run.recorder.drained();
    expect(run.writes()).toEqual(["POST", "POST"]);
  });

  test("distinguishes objects, types, reasons and actions", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, failed);
    run.recorder.record(aLiveObject({ name: "web", uid: "another" }), failed);
    run.recorder.record(web, { ...failed, reason: "NotOwned" });
    run.recorder.record(web, { ...failed, action: "Prune" });
    run.recorder.record(web, { ...failed, type: "Normal" });
    await run.recorder.drained();
    expect(run.writes()).toEqual(["POST", "POST", "POST", "POST", "POST"]);
  });

  test("creates a new event for a changed note, after a minimum interval", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, failed);
    await run.clock.advance(11_000);
    run.recorder.record(web, { ...failed, note: "no name" });
    await run.recorder.drained();
    expect(run.notes()).toEqual(["no room", "no name"]);
  });

  test("writes events of objects without a namespace to default", async () => {
    await using run = await aRecorder();
    run.recorder.record(aLiveObject({ namespace: null }), failed);
    await run.recorder.drained();
    expect(run.cluster.server.requests[0]?.path).toBe("/apis/events.k8s.io/v1/namespaces/default/events");
  });

  test("shortens a note to the API server's limit, between two characters", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, { ...failed, note: "€".repeat(1_000) });
    await run.recorder.drained();
    const note = String(run.notes()[0]);
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(note).toMatch(/^€{300,}…$/);
  });

  test("writes nothing while another instance leads, not even queued events", async () => {
    await using run = await aRecorder();
    run.recorder.record(web, failed);
    run.leading.is = false;
    await run.recorder.drained();
    run.recorder.record(web, { ...failed, reason: "NotOwned" });
    await run.recorder.drained();
    expect(run.writes()).toEqual([]);
  });

  test("tries 12 times, 10 to 12.5 s apart, then drops it", async () => {
    await using run = await aRecorder((_request, answer) => answer.refuse(503, "ServiceUnavailable", "no"));
    run.recorder.record(web, failed);
    for (let tries = 1; tries <= 12; tries++) {
      await expect.poll(() => run.writes().length).toBe(tries);
      if (tries === 12) break;
      await expect.poll(() => run.clock.pendingDelaysMs).toContain(11_250);
      await run.clock.advance(11_250);
    }
    await run.recorder.drained();
    expect(run.writes()).toHaveLength(12);
  });

  test("does not retry an event that is rejected permanently, and starts a new series the next time", async () => {
    await using run = await aRecorder((_request, answer) => answer.refuse(403, "Forbidden", "terminating"));
    run.recorder.record(web, failed);
    await run.recorder.drained();
    run.recorder.record(web, failed);
    await run.recorder.drained();
    expect(run.writes()).toEqual(["POST", "POST"]);
  });

  test("drops events that do not fit into the queue of 1,000, and never waits", async () => {
    await using run = await aRecorder();
    for (let n = 0; n < 1_500; n++) run.recorder.record(aLiveObject({ name: `web-${n}` }), failed);
    await run.recorder.drained();
    // One is removed from the queue at once.
    expect(run.writes()).toHaveLength(1_001);
  });

  test("writes pending counts when it is closed", async () => {
    await using run = await aRecorder();
    for (let count = 0; count < 3; count++) run.recorder.record(web, failed);
    await run.recorder.drained();
    run.recorder.record(web, failed);
    await run.recorder.close();
    expect(run.bodies().at(-1)).toMatchObject({ series: { count: 4 } });
    expect(run.clock.pendingDelaysMs).toEqual([]);
  });

  test("does not delay the end of the process while the API server is unavailable", async () => {
    await using run = await aRecorder((_request, answer) => answer.refuse(503, "ServiceUnavailable", "no"));
    run.recorder.record(web, failed);
    run.recorder.record(web, { ...failed, reason: "NotOwned" });
    await expect.poll(() => run.clock.pendingDelaysMs).toContain(11_250);
    await run.recorder.close();
    // One attempt for each of the two, and a last one.
    expect(run.writes()).toEqual(["POST", "POST", "POST"]);
    expect(run.clock.pendingDelaysMs).toEqual([]);
    expect(run.recorder.stats).toEqual({ written: 0, dropped: 2 });
  });

  test("writes the others while the server fails for one of them, with its occurrences in the meantime", async () => {
    let isMended = false;
    const script: Script = ({ body }, answer) =>
      body.includes("web-0") && !isMended ? answer.refuse(500, "InternalError", "no") : answer.json(200, {});
    await using run = await aRecorder(script);
    for (const name of ["web-0", "web-1", "web-2"]) run.recorder.record(aLiveObject({ name }), failed);
    await expect.poll(() => run.recorder.stats.written).toBe(2);
    run.recorder.record(aLiveObject({ name: "web-0" }), failed);
    isMended = true;
    await expect.poll(() => run.clock.pendingDelaysMs).toContain(11_250);
    await run.clock.advance(11_250);
    await run.recorder.drained();
    expect(run.recorder.stats).toEqual({ written: 4, dropped: 0 });
    expect(run.bodies().at(-2)).toMatchObject({ regarding: { name: "web-0" } });
    expect(run.bodies().at(-1)).toMatchObject({ series: { count: 2 } });
  });

  test("sends at most three requests in a row to a server that fails for everything", async () => {
    await using run = await aRecorder((_request, answer) => answer.refuse(503, "ServiceUnavailable", "no"));
    for (let n = 0; n < 100; n++) run.recorder.record(aLiveObject({ name: `web-${n}` }), failed);
    await expect.poll(() => run.clock.pendingDelaysMs).toContain(11_250);
    expect(run.writes()).toHaveLength(3);
    await run.clock.advance(11_250);
    await expect.poll(() => run.writes().length).toBe(4);
    await expect.poll(() => run.clock.pendingDelaysMs).toContain(11_250);
    expect(run.writes()).toHaveLength(4);
    await run.recorder.close();
  });

  test("allows one object 25 events at once and one more in 5 minutes, and counts the others", async () => {
    await using run = await aRecorder();
    const record = (count: number) => run.recorder.record(web, { ...failed, reason: `Reason${count}` });
    for (let count = 0; count < 40; count++) record(count);
    await run.recorder.drained();
    expect(run.writes()).toHaveLength(25);
    expect(run.recorder.stats).toEqual({ written: 25, dropped: 15 });
    await run.clock.advance(5 * 60_000);
    for (let count = 40; count < 45; count++) record(count);
    run.recorder.record(aLiveObject({ name: "other", uid: "other" }), failed);
    await run.recorder.drained();
    expect(run.writes()).toHaveLength(27);
  });
});
