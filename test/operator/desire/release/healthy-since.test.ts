import { describe, expect, test } from "vitest";
import type { Condition } from "../../../../crds/conditions.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const startIso = "2026-01-01T00:00:00Z";
const minuteMs = 60_000;
const stage = { source: { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } } };
const workload = (kind: string) =>
  aSourceManifest("apps/v1", kind, "web", { fields: { spec: { replicas: 1 } } });

async function edited(bench: ReleaseBench, generation: number, more: object = {}): Promise<void> {
  bench.edit(aRelease({ generation, spec: { ...stage, revision: aCommit("1").id, ...more } }));
  await bench.reconcile();
  await bench.clock.settle();
}

/** What the controller of the workload reports about its only pod. */
function report(bench: ReleaseBench, ready: 0 | 1, availableSince = startIso): void {
  const live = bench.live("Deployment", "web") ?? bench.live("StatefulSet", "web");
  if (live === undefined) throw new Error("there is no workload");
  const status = {
    ...{
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: ready,
      readyReplicas: ready,
    },
    ...(live.kind === "Deployment" && {
      conditions: [
        { type: "Available", status: ready ? "True" : "False", lastTransitionTime: availableSince },
      ],
    }),
  };
  bench.deliver(
    bench.cluster.put({ ...live, metadata: { ...live.metadata, generation: 1 }, status } as LiveObject),
  );
}

/** A Release of a stage with one healthy workload. */
async function deployed(kind = "Deployment"): Promise<ReleaseBench> {
  const bench = new ReleaseBench();
  bench.offer("1", [workload(kind)]);
  await edited(bench, 1);
  report(bench, 1);
  await edited(bench, 1);
  return bench;
}

/** The next operator, that much later. */
async function restarted(former: ReleaseBench, kind: string, afterMs: number): Promise<ReleaseBench> {
  const bench = new ReleaseBench();
  await bench.clock.advance(afterMs);
  bench.offer("1", [workload(kind)]);
  for (const object of former.cluster.objects.values()) bench.deliver(bench.cluster.put(object));
  return bench;
}

const deployedIn = (bench: ReleaseBench) => bench.release().status?.deployed;
const healthyIn = (bench: ReleaseBench): Condition | undefined =>
  (bench.release().status?.conditions as readonly Condition[] | undefined)?.find(
    ({ type }) => type === "Healthy",
  );

describe("status.deployed.healthySince", () => {
  test("is absent before the objects are healthy", async () => {
    const bench = new ReleaseBench();
    bench.offer("1", [workload("Deployment")]);
    await edited(bench, 1);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ since: expect.any(String) });
    expect(deployedIn(bench)).not.toHaveProperty("healthySince");
  });

  test("restarts after a failure, and the condition Healthy names the object meanwhile", async () => {
    const bench = await deployed();
    expect(deployedIn(bench)).toMatchObject({ healthySince: startIso });
    await bench.clock.advance(9 * minuteMs);
    report(bench, 0);
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(deployedIn(bench)).not.toHaveProperty("healthySince");
    expect(healthyIn(bench)?.message).toContain("Deployment shop/web");
    await bench.clock.advance(18_000);
    report(bench, 1);
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ since: startIso, healthySince: "2026-01-01T00:09:20Z" });
  });

  test("restarts after a failure that ended before a status reported it", async () => {
    const bench = await deployed();
    await bench.clock.advance(9 * minuteMs);
    report(bench, 0);
    await bench.reconcile();
    await bench.clock.advance(1_000);
    report(bench, 1);
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ healthySince: "2026-01-01T00:09:01Z" });
  });

  test("is the same after any number of checks without a change", async () => {
    const bench = await deployed();
    bench.takeRequests();
    await bench.clock.advance(minuteMs);
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("counts time without an operator only while the status of a workload reports it as available", async () => {
    const former = await deployed();
    const same = await restarted(former, "Deployment", 9 * minuteMs);
    await same.reconcile();
    expect(same.takeRequests()).toEqual([]);
    expect(deployedIn(same)).toMatchObject({ healthySince: startIso });
    const bench = await restarted(former, "Deployment", 9 * minuteMs);
    report(bench, 1, "2026-01-01T00:07:00Z");
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ healthySince: "2026-01-01T00:07:00Z" });
  });

  test("does not count time without an operator for a workload that does not report its availability", async () => {
    const former = await deployed("StatefulSet");
    expect(deployedIn(former)).toMatchObject({ healthySince: startIso });
    const bench = await restarted(former, "StatefulSet", 9 * minuteMs);
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ healthySince: "2026-01-01T00:09:00Z" });
  });

  test("does not count time in which the Release was suspended", async () => {
    const bench = await deployed("StatefulSet");
    await edited(bench, 2, { suspend: true });
    await bench.clock.advance(9 * minuteMs);
    await edited(bench, 3);
    expect(deployedIn(bench)).toMatchObject({ since: startIso, healthySince: "2026-01-01T00:09:00Z" });
  });
});
