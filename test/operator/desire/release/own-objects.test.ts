import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { Release } from "../../../../crds/release.ts";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { stamps } from "../../../../synth/manifest.ts";
import { setOf } from "../../../../synth/stamp.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest, asOwned } from "../../../fakes/releases.ts";

const map = (name: string) => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } });
const leaving = () => {
  const release = aRelease({ generation: 2 });
  return { ...release, metadata: { ...release.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
};

/** An object planted by another user: the public id of the set, our field manager, and a finalizer that never ends. */
function plant(bench: ReleaseBench, kind: string, namespace: string): LiveObject {
  const labels = { [stamps.set]: setOf(Release, aRelease()) };
  const manifest = aSourceManifest("v1", kind, "planted", { namespace, labels });
  const { live } = asOwned(manifest, { uid: `planted-${namespace}`, finalizers: ["example.dev/never"] });
  const planted = bench.cluster.put(live);
  bench.deliver(planted);
  return planted;
}

describe("an object with a Release's label that the Release did not record", () => {
  test.for([
    { where: "another namespace", namespace: "elsewhere", kind: "ConfigMap" },
    { where: "the Release's own namespace", namespace: "shop", kind: "ConfigMap" },
    { where: "another kind", namespace: "shop", kind: "Secret" },
  ])("is not changed in $where", async ({ namespace, kind }) => {
    const bench = await aDeployedBench("a");
    const planted = plant(bench, kind, namespace);
    await bench.reconcile();
    bench.commit("2", [map("a"), map("b")]);
    await bench.reconcile();
    bench.commit("3", [map("b")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "apply ConfigMap/b",
      "status Release/web",
      "delete ConfigMap/a",
      "status Release/web",
    ]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.release().status?.inventory?.entries).toEqual(["/ConfigMap/shop/b"]);
    expect(bench.live(kind, "planted")).toBe(planted);
  });

  test("does not delay the Release's deletion", async () => {
    const bench = await aDeployedBench("a");
    const planted = plant(bench, "ConfigMap", "elsewhere");
    bench.edit(leaving());
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a", "metadata Release/web"]);
    expect(bench.release().metadata.finalizers).toEqual([]);
    expect(bench.live("ConfigMap", "planted")).toBe(planted);
  });

  test("is not adopted by the Release through ApplySet annotations", async () => {
    const bench = await aDeployedBench("a");
    const planted = plant(bench, "Secret", "elsewhere");
    const annotations = {
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Secret",
      "applyset.kubernetes.io/additional-namespaces": "elsewhere",
    };
    bench.edit(aRelease({ annotations }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
    expect(bench.release().metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
      "applyset.kubernetes.io/additional-namespaces": "",
    });
    expect(bench.live("Secret", "planted")).toBe(planted);
  });
});

describe("the inventory of a Release", () => {
  const entriesOf = (bench: ReleaseBench) => bench.release().status?.inventory?.entries;

  test("has an object before it is first applied", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), map("b")]);
    bench.edit();
    const recorded: unknown[] = [];
    bench.cluster.rewrite = (object) => {
      if (object.kind === "ConfigMap") recorded.push(entriesOf(bench));
      return object;
    };
    await bench.reconcile();
    const both = ["/ConfigMap/shop/a", "/ConfigMap/shop/b"];
    expect(recorded).toEqual([both, both]);
  });

  test("is written before anything is applied, or nothing is applied", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a")]);
    bench.edit();
    bench.cluster.refuse("status Release/web", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
  });

  test("and the ApplySet annotations are not written while the copies of a kind are being filled", async () => {
    const bench = new ReleaseBench();
    bench.unsynced.add("configmaps");
    bench.commit("1", [map("a")]);
    bench.edit();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    bench.unsynced.clear();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Release/web",
      "metadata Release/web",
      "apply ConfigMap/a",
      "status Release/web",
    ]);
  });

  test("is not overwritten by an operator that has not read it", async () => {
    const bench = await aDeployedBench("a");
    // The watch is behind: another operator has recorded something since.
    bench.cluster.put({
      ...bench.release(),
      status: { inventory: { entries: ["/Secret/shop/b"] } },
    } as LiveObject);
    bench.commit("2", [map("a"), map("b")]);
    await expect(bench.reconcile()).rejects.toThrow("replaced meanwhile");
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
  });

  test("keeps objects that cannot be listed", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), aSourceManifest("v1", "Secret", "s")]);
    bench.edit();
    await bench.reconcile();
    bench.refused.set("secrets", "the operator may not list and watch secrets");
    bench.unsynced.add("secrets");
    bench.commit("2", [map("a")]);
    await bench.reconcile();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a", "/Secret/shop/s"]);
    bench.refused.clear();
    bench.unsynced.clear();
    await bench.reconcile();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a"]);
    expect(bench.live("Secret", "s")).toBeUndefined();
  });

  test("keeps an object that a request without an answer may still create", async () => {
    const bench = await aDeployedBench("a");
    bench.commit("2", [map("a"), map("late")]);
    bench.cluster.refuse("apply ConfigMap/late", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    bench.commit("3", [map("a")]);
    const { requeueAfterMs } = await bench.reconcile();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a", "/ConfigMap/shop/late"]);
    expect(requeueAfterMs).toBe(10_000);
    await bench.clock.advance(10_000);
    await bench.reconcile();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a"]);
  });

  test("keeps an object that the previous operator may have sent, and prunes it when it appears", async () => {
    const bench = new ReleaseBench();
    bench.predecessorMs = 9_000;
    bench.commit("1", [map("a")]);
    bench.edit(aRelease({ status: { inventory: { entries: ["/ConfigMap/shop/late"] } } as never }));
    await bench.reconcile();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a", "/ConfigMap/shop/late"]);
    const labels = { [stamps.set]: setOf(Release, aRelease()) };
    const late = aSourceManifest("v1", "ConfigMap", "late", { namespace: "shop", labels });
    bench.deliver(bench.cluster.put(asOwned(late).live));
    bench.predecessorMs = 0;
    await bench.reconcile();
    expect(bench.live("ConfigMap", "late")).toBeUndefined();
    expect(entriesOf(bench)).toEqual(["/ConfigMap/shop/a"]);
  });
});
