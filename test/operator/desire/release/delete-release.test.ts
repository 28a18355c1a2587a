import { describe, expect, test } from "vitest";
import { lateWritesMs } from "../../../../operator/desire/release/take-inventory.ts";
import { FINALIZER } from "../../../../operator/engine/finalize.ts";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string) => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } });
const deployment = aSourceManifest("apps/v1", "Deployment", "web", { fields: { spec: { replicas: 1 } } });

describe("a Release that is deleted", () => {
  const leaving = (spec = {}) => {
    const release = aRelease({ spec, generation: 2 });
    return { ...release, metadata: { ...release.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  };

  test("deletes its objects first, in reverse order", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [deployment, map("a")]);
    bench.edit();
    await bench.reconcile();
    bench.takeRequests();
    bench.fail({ source: { reason: "SourceUnreachable", message: "gone" } });
    bench.edit(leaving());
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "delete Deployment/web",
      "delete ConfigMap/a",
      "metadata Release/web",
    ]);
    expect(bench.release().metadata.finalizers).toEqual([]);
  });

  test("waits for an object that has another finalizer", async () => {
    const bench = await aDeployedBench("a");
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900", finalizers: ["example.dev/wait"] };
    const held = { ...live, metadata };
    bench.deliver(bench.cluster.put(held));
    bench.edit(leaving());
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a"]);
    expect(bench.release().metadata.finalizers).toEqual(["fairlead.dev/objects"]);
    bench.vanish({ ...held, metadata: { ...metadata, resourceVersion: "901" } });
    await bench.reconcile();
    expect(bench.release().metadata.finalizers).toEqual([]);
  });

  test("waits for an object that is deleted later without a finalizer, such as a namespace", async () => {
    const bench = await aDeployedBench("a");
    bench.cluster.lingers = () => true;
    bench.edit(leaving());
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a"]);
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    bench.vanish({ ...live, metadata: { ...live.metadata, resourceVersion: "901" } });
    await bench.reconcile();
    expect(bench.release().metadata.finalizers).toEqual([]);
  });

  test("keeps its finalizer while an object of a killed operator may still appear", async () => {
    const bench = await aDeployedBench("a");
    bench.predecessorMs = 9_000;
    bench.edit(leaving());
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_000 });
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a"]);
    bench.predecessorMs = 0;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
  });

  test("keeps its finalizer while a request without a response may still create an object", async () => {
    const bench = await aDeployedBench("a");
    bench.commit("2", [map("a"), map("b")]);
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("no response", { status: 0 }));
    await bench.reconcile().catch(() => undefined);
    bench.edit(leaving());
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a"]);
    await bench.clock.advance(lateWritesMs - 1);
    await bench.reconcile();
    expect(bench.release().metadata.finalizers).toEqual([FINALIZER]);
    bench.takeRequests();
    await bench.clock.advance(1);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
  });

  test("leaves its objects if its spec says so", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(leaving({ deletionPolicy: "Orphan" }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
    expect(bench.live("ConfigMap", "a")).toBeDefined();
  });

  test("is not deleted while objects of one of its kinds cannot be listed, and reports how to continue", async () => {
    const bench = await aDeployedBench("a");
    bench.refused.set("configmaps", "the operator may not list and watch configmaps");
    bench.edit(leaving());
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.release().metadata.finalizers).toEqual(["fairlead.dev/objects"]);
    const [ready] = bench.release().status?.conditions ?? [];
    expect(ready?.message).toMatch(/may not list and watch configmaps.*Orphan/);
  });

  test("keeps its finalizer until the copies of its kinds are filled", async () => {
    const bench = await aDeployedBench("a");
    bench.unsynced.add("configmaps");
    bench.edit(leaving());
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    bench.unsynced.clear();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a", "metadata Release/web"]);
  });

  test("reports how to continue when its objects may not be deleted", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(leaving());
    const forbidden = new ApiUnavailableError("forbidden", { status: 403 });
    bench.cluster.refuse("delete ConfigMap/a", forbidden);
    await expect(bench.reconcile()).rejects.toThrow("forbidden");
    expect(bench.condition("Ready")).toBe("False Deleting");
    const [ready] = bench.release().status?.conditions ?? [];
    expect(ready?.message).toMatch(/deletionPolicy to Orphan/);
  });
});

describe("a Release without a finalizer", () => {
  const source = { url: "https://git.example/shop.git", secretRef: { name: "git" } };

  test("is forgotten if it is deleted while a run reads its Secret", async () => {
    const bench = new ReleaseBench();
    bench.edit(aRelease({ spec: { source } }));
    const secret = Promise.withResolvers<ReadonlyMap<string, string>>();
    const isRead = Promise.withResolvers<void>();
    bench.secrets.read = async () => {
      isRead.resolve();
      return await secret.promise;
    };
    const running = bench.reconcile();
    await isRead.promise;
    bench.vanish(bench.release());
    bench.memory.forget("shop/web");
    secret.resolve(new Map());
    await running;
    expect([...bench.requests.keys()]).toEqual(["shop/web"]);
    expect(await bench.reconcile()).toEqual({});
    expect([...bench.requests.keys()]).toEqual([]);
    expect(bench.gone).toEqual(["shop/web"]);
  });

  test("is not forgotten when only its namespace is being deleted", async () => {
    const bench = await aDeployedBench("a");
    bench.terminating.add("shop");
    expect(await bench.reconcile()).toEqual({});
    expect([...bench.requests.keys()]).toEqual(["shop/web"]);
    expect(bench.gone).toEqual([]);
  });
});
