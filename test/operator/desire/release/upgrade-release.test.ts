import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string) => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } });

/** State left behind by an operator that recorded kinds alone: its objects, and a Release with or without an inventory. */
async function anUpgrade({ hasInventory }: { readonly hasInventory: boolean }): Promise<ReleaseBench> {
  const former = await aDeployedBench("a", "b");
  const release = former.release();
  const { inventory, ...rest } = release.status ?? {};
  const bench = new ReleaseBench();
  bench.commit("1", [map("a"), map("b")]);
  for (const object of former.cluster.objects.values())
    if (object.kind !== release.kind) bench.deliver(bench.cluster.put(object));
  const status = hasInventory ? { ...rest, inventory } : { conditions: rest.conditions };
  bench.deliver(bench.cluster.put({ ...release, status } as LiveObject));
  return bench;
}

describe("an upgrade from an operator that recorded only kinds", () => {
  test("sends nothing for a Release that is deployed", async () => {
    const bench = await anUpgrade({ hasInventory: true });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("sends nothing for one whose deployed state has no digest", async () => {
    const former = await aDeployedBench("a", "b");
    const { deployed, ...status } = former.release().status ?? {};
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), map("b")]);
    for (const object of former.cluster.objects.values()) {
      const isRelease = object.kind === former.release().kind;
      const { revision, tree } = deployed ?? {};
      const before = isRelease ? { ...object, status: { ...status, deployed: { revision, tree } } } : object;
      bench.deliver(bench.cluster.put(before as LiveObject));
    }
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    // The next status has all of it.
    bench.commit("2", [map("a"), map("b")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    const { digest, since, generation } = deployed ?? {};
    expect(bench.release().status?.deployed).toMatchObject({ digest, since, generation });
  });

  test("keeps the finalizer of one that was never fully deployed and is deleted at once", async () => {
    const bench = await anUpgrade({ hasInventory: false });
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const leaving = (generation: number, spec = {}) => {
      const { metadata, ...rest } = aRelease({ generation, spec });
      return { ...rest, metadata: { ...metadata, deletionTimestamp } };
    };
    bench.edit(leaving(2));
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    const [ready] = bench.release().status?.conditions ?? [];
    expect(ready?.message).toMatch(
      /has no valid record of them; they have the label fairlead.dev\/set=.*Orphan/,
    );
    bench.edit(leaving(3, { deletionPolicy: "Orphan" }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
    expect(bench.live("ConfigMap", "a")).toBeDefined();
  });

  test("removes the finalizer of one that it has started itself and that has no objects yet", async () => {
    const bench = new ReleaseBench();
    bench.refused.set("configmaps", "the operator may not list and watch configmaps");
    bench.commit("1", [map("a")]);
    bench.edit();
    await bench.reconcile();
    const { metadata, ...rest } = aRelease({ generation: 2 });
    bench.edit({ ...rest, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect(bench.release().metadata.finalizers ?? []).toEqual([]);
  });

  test("records the objects of one that was never fully deployed, and writes none of them", async () => {
    const bench = await anUpgrade({ hasInventory: false });
    await bench.reconcile();
    expect(new Set(bench.takeRequests())).toEqual(new Set(["status Release/web"]));
    expect(bench.release().status?.inventory?.entries).toEqual(["/ConfigMap/shop/a", "/ConfigMap/shop/b"]);
    // Then it finds all of them when the Release is deleted.
    const metadata = { ...bench.release().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    bench.edit({ ...aRelease({ generation: 2 }), metadata } as ReturnType<typeof aRelease>);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "delete ConfigMap/a",
      "delete ConfigMap/b",
      "metadata Release/web",
    ]);
  });
});
