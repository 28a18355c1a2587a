import { describe, expect, test } from "vitest";
import type { Condition } from "../../../../crds/conditions.ts";
import { releaseStatusDelayMs } from "../../../../operator/desire/release/release-status.ts";
import type { SourceFailure } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";
import { restart } from "../../../fakes/restarted-bench.ts";

const down: SourceFailure = { reason: "SourceUnreachable", message: "no answer" };
const gone: SourceFailure = { reason: "SourceNotFound", message: "Cannot find the folder" };
const aDeployment = aSourceManifest("apps/v1", "Deployment", "a", {
  fields: { spec: { replicas: 1, selector: {}, template: {} } },
});

/** A controller reports how many pods of a Deployment are available. */
function report(bench: ReleaseBench, name: string, availableReplicas: number): void {
  const live = bench.live("Deployment", name) ?? expect.fail("it does not exist");
  const { metadata } = live;
  const resourceVersion = String(Number(metadata.resourceVersion) + 100);
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: availableReplicas, availableReplicas };
  const status = { observedGeneration: metadata.generation ?? 1, ...counts };
  bench.deliver(bench.cluster.put({ ...live, metadata: { ...metadata, resourceVersion }, status }));
}

function healthyOf(bench: ReleaseBench): Condition | undefined {
  const conditions = bench.release().status?.conditions as readonly Condition[] | undefined;
  return conditions?.find(({ type }) => type === "Healthy");
}

async function aDeployedDeployment(): Promise<ReleaseBench> {
  const bench = new ReleaseBench();
  bench.commit("1", [aDeployment, aSourceManifest("v1", "ConfigMap", "b")]);
  bench.edit();
  await bench.reconcile();
  report(bench, "a", 1);
  await bench.reconcile();
  expect(bench.condition("Healthy")).toBe("True Healthy");
  return bench;
}

describe("the health of a Release whose source is unavailable since before a restart", () => {
  test.for([down, gone])("follows its recorded objects: $reason", async (source) => {
    const bench = restart(await aDeployedDeployment());
    bench.fail({ source });
    await bench.reconcile();
    expect(healthyOf(bench)).toMatchObject({ status: "True", message: "2 objects in place" });

    report(bench, "a", 0);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("False Progressing");
    expect(healthyOf(bench)?.message).toContain("Deployment shop/a: ");
    report(bench, "a", 1);
    await bench.reconcile();
    expect(healthyOf(bench)).toMatchObject({ status: "True", message: "2 objects in place" });
  });

  test("is written only if it changes", async () => {
    const former = await aDeployedDeployment();
    former.fail({ source: gone });
    await former.reconcile();
    const bench = restart(former);
    bench.fail({ source: gone });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("is False while a recorded object does not exist, and blocks its dependents then", async () => {
    const bench = restart(await aDeployedBench("a", "b"));
    bench.fail({ source: gone });
    bench.vanish(bench.live("ConfigMap", "b") ?? expect.fail("it does not exist"));
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("False Progressing");
    expect(healthyOf(bench)?.message).toBe("ConfigMap shop/b: does not exist");
    bench.commit("2", [aSourceManifest("v1", "ConfigMap", "app")], { key: "shop/app" });
    bench.edit(aRelease({ name: "app", spec: { dependsOn: [{ name: "web" }] } }));
    await bench.reconcile("shop/app");
    await bench.clock.advance(releaseStatusDelayMs);
    await bench.reconcile("shop/app");
    expect(bench.condition("Ready", "shop/app")).toBe("False DependencyNotReady");
  });

  test("fails after the timeout, which starts when it is first observed", async () => {
    const bench = restart(await aDeployedDeployment());
    bench.fail({ source: gone });
    report(bench, "a", 0);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 300_000 });
    await bench.clock.advance(300_000);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("False Failed");
  });

  test.for<{ does: string; change: (bench: ReleaseBench) => void }>([
    {
      does: "objects are not in the local copies yet",
      change: (bench) => void bench.unsynced.add("configmaps"),
    },
    { does: "objects may not be watched", change: (bench) => void bench.refused.set("configmaps", "no") },
  ])("keeps its value while $does", async ({ change }) => {
    const bench = restart(await aDeployedBench("a"));
    bench.fail({ source: gone });
    bench.vanish(bench.live("ConfigMap", "a") ?? expect.fail("it does not exist"));
    change(bench);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("True Healthy");
  });

  test("keeps its value where the record has objects that are no longer desired", async () => {
    const former = await aDeployedDeployment();
    former.edit(aRelease({ generation: 2, spec: { prune: false } }));
    former.commit("2", [aSourceManifest("v1", "ConfigMap", "b")]);
    await former.reconcile();
    expect(former.condition("Healthy")).toBe("True Healthy");
    const bench = restart(former);
    bench.fail({ source: gone });
    report(bench, "a", 0);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("True Healthy");
  });

  test("counts a Job that ran and was deleted by its time to live", async () => {
    const former = new ReleaseBench();
    const spec = { ttlSecondsAfterFinished: 60, template: {} };
    former.commit("1", [aSourceManifest("batch/v1", "Job", "once", { fields: { spec } })]);
    former.edit();
    await former.reconcile();
    const live = former.live("Job", "once") ?? expect.fail("it does not exist");
    const status = { conditions: [{ type: "Complete", status: "True" }], succeeded: 1 };
    former.deliver(
      former.cluster.put({ ...live, metadata: { ...live.metadata, resourceVersion: "900" }, status }),
    );
    await former.reconcile();
    former.vanish(former.live("Job", "once") ?? expect.fail("it does not exist"));
    await former.reconcile();
    expect(former.condition("Healthy")).toBe("True Healthy");
    const bench = restart(former);
    bench.fail({ source: gone });
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("True Healthy");
  });

  test.for([false, true])("does not miss a target namespace; created by it: %s", async (isOurs) => {
    const target = { namespace: "west", createNamespace: true };
    const former = new ReleaseBench();
    if (!isOurs) {
      const metadata = { name: "west", uid: "uid-of-west", resourceVersion: "1" };
      former.cluster.put({ apiVersion: "v1", kind: "Namespace", metadata, ours: false });
    }
    former.commit("1", [aSourceManifest("v1", "ConfigMap", "a")]);
    former.edit(aRelease({ spec: { target } }));
    for (let run = 0; run < 3; run++) await former.reconcile();
    expect(former.condition("Healthy")).toBe("True Healthy");
    const { message } = healthyOf(former) ?? {};
    const bench = restart(former);
    bench.fail({ source: gone });
    await bench.reconcile();
    expect(healthyOf(bench)).toMatchObject({ status: "True", message });
    bench.vanish(bench.live("ConfigMap", "a") ?? expect.fail("it does not exist"));
    await bench.reconcile();
    expect(healthyOf(bench)).toMatchObject({ status: "False" });
  });
});

test("the health of a Release follows its recorded objects after an edit of the spec, too", async () => {
  const bench = await aDeployedDeployment();
  bench.fail({ source: down });
  bench.edit(aRelease({ generation: 2, spec: { interval: "5m" } }));
  report(bench, "a", 0);
  await bench.reconcile();
  expect(bench.condition("Healthy")).toBe("False Progressing");
});
