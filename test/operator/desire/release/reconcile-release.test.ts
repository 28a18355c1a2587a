import { describe, expect, test } from "vitest";
import { ApiUnavailableError, ObjectRejectedError } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });
const deployment = aSourceManifest("apps/v1", "Deployment", "web", { fields: { spec: { replicas: 1 } } });

describe("a reconcile of a Release", () => {
  test("records its objects, applies them and writes one more status, without a read", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), map("b")]);
    bench.edit();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "metadata Release/web",
      "apply ConfigMap/a",
      "apply ConfigMap/b",
      "status Release/web",
    ]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.release().status).toMatchObject({
      revision: aCommit("1").id,
      inventory: { entries: ["/ConfigMap/shop/a", "/ConfigMap/shop/b"], deployed: 2 },
      history: [{ outcome: "Ready" }],
    });
    expect(bench.release().metadata).toMatchObject({
      finalizers: ["fairlead.dev/objects"],
      annotations: { "applyset.kubernetes.io/contains-group-kinds": "ConfigMap" },
    });
  });

  test("sends nothing when nothing has changed, also when the head moved without a change of the folder", async () => {
    const bench = await aDeployedBench("a");
    expect(await bench.reconcile()).toEqual({});
    bench.moveHead("2");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("sends only the objects that a commit changed", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.commit("2", [map("a"), map("b", "2")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/b", "status Release/web"]);
    expect(bench.release().status?.history).toMatchObject([
      { revision: aCommit("2").id, outcome: "Ready" },
      { revision: aCommit("1").id, outcome: "Ready" },
    ]);
  });

  test("withholds for two seconds that it is not healthy yet", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [{ ...deployment, spec: { replicas: 2 } }]);
    bench.edit();
    const { requeueAfterMs = 0 } = await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "metadata Release/web",
      "apply Deployment/web",
    ]);
    expect(requeueAfterMs).toBe(2_000);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False Progressing");
    // Its progress is reported again after ten.
    const live = bench.live("Deployment", "web");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900" };
    const status = { replicas: 2, updatedReplicas: 2, availableReplicas: 1 };
    bench.deliver(bench.cluster.put({ ...live, metadata, status }));
    await bench.clock.advance(3_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(7_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
  });

  test("writes nothing before the local copies are filled", async () => {
    const bench = await aDeployedBench("a");
    bench.unsynced.add("configmaps");
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("prunes what the source no longer contains, and drops a kind without further objects", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), aSourceManifest("v1", "Service", "web")]);
    bench.edit();
    await bench.reconcile();
    bench.takeRequests();
    bench.commit("2", [map("a")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "delete Service/web",
      "metadata Release/web",
      "status Release/web",
    ]);
    expect(bench.release().metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
    });
  });

  test("prunes nothing while an object cannot be applied", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.commit("2", [map("a", "2")]);
    bench.cluster.refuse("apply ConfigMap/a", new ObjectRejectedError("/ConfigMap/shop/a", "no"));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "status Release/web"]);
    expect(bench.condition("Ready")).toBe("False ApplyRejected");
    expect(bench.release().status?.revision).toBe(aCommit("1").id);
    expect(bench.live("ConfigMap", "b")).toBeDefined();
  });

  test("holds a prune of all objects, and continues when it is approved", async () => {
    const bench = await aDeployedBench("a");
    bench.commit("2", []);
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("False PruneHeld");
    expect(bench.live("ConfigMap", "a")).toBeDefined();
    bench.edit(aRelease({ annotations: { "fairlead.dev/approve-prune": aCommit("2").id } }));
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("reverts a manual edit, and reports it once", async () => {
    const bench = await aDeployedBench("a");
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900" };
    bench.deliver(bench.cluster.put({ ...live, metadata, data: { x: "by hand" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a"]);
    expect(bench.events).toMatchObject([
      { type: "Normal", reason: "Deployed" },
      { type: "Normal", reason: "Restored" },
    ]);
  });

  test("reports each deployment once, and its prunes", async () => {
    const bench = await aDeployedBench("a", "b", "c");
    bench.events.length = 0;
    bench.commit("2", [map("a", "2")]);
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.events).toEqual([
      {
        type: "Normal",
        reason: "Pruned",
        action: "Prune",
        note: "Pruned ConfigMap shop/b, ConfigMap shop/c: no longer in the source",
        isRoutine: true,
      },
      {
        type: "Normal",
        reason: "Deployed",
        action: "Deploy",
        note: "Deployed commit 222222222222 by Ann: Commit 2",
        isRoutine: true,
      },
    ]);
  });

  test("keeps the deployed objects while its source cannot be rendered", async () => {
    const bench = await aDeployedBench("a");
    bench.fail({ digit: "2", render: { reason: "RenderFailed", message: "web.yaml:3: no" } });
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900" };
    bench.deliver(bench.cluster.put({ ...live, metadata, data: { x: "by hand" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "status Release/web"]);
    expect(bench.condition("Ready")).toBe("False RenderFailed");
    expect(bench.release().status).toMatchObject({ revision: aCommit("1").id, attempted: aCommit("2").id });
  });

  test("writes nothing for a commit that is being rendered, unless rendering is slow", async () => {
    const bench = await aDeployedBench("a");
    bench.fail({ digit: "2", render: "pending" });
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_000 });
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.release().status?.attempted).toBe(aCommit("2").id);
  });

  test("stays ready when only its remote does not respond", async () => {
    const bench = await aDeployedBench("a");
    bench.fail({ source: { reason: "SourceUnreachable", message: "no answer" } });
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.condition("Sourced")).toBe("False SourceUnreachable");
  });

  test("does nothing while it is suspended", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(aRelease({ generation: 2, spec: { suspend: true } }));
    bench.commit("2", [map("a", "2")]);
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("True Suspended");
  });

  test("is refused if kinds of its objects may not be watched", async () => {
    const bench = new ReleaseBench();
    bench.refused.set("configmaps", "forbidden to watch configmaps");
    bench.commit("1", [map("a")]);
    bench.edit();
    await bench.reconcile();
    expect(bench.takeRequests().filter((request) => request.startsWith("apply"))).toEqual([]);
    expect(bench.condition("Ready")).toBe("False KindNotWatched");
  });

  test("does not report an API server that does not respond, and retries", async () => {
    const bench = await aDeployedBench("a");
    bench.commit("2", [map("a", "2")]);
    bench.cluster.refuse("apply ConfigMap/a", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a"]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "status Release/web"]);
  });
});
