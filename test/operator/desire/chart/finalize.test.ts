import { describe, expect, test } from "vitest";
import { ConfigMap, Namespace } from "../../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { finalize, holdDeletion, isLeaving } from "../../../../operator/desire/chart/finalize.ts";
import { load } from "../../../../operator/desire/chart/load.ts";
import { FINALIZER } from "../../../../operator/engine/finalize.ts";
import { stamps } from "../../../../synth/manifest.ts";
import { setOf } from "../../../../synth/stamp.ts";
import { aGadgetKind, Gadget } from "../../../fakes/gadget.ts";
import { aLiveObject } from "../../../fakes/objects.ts";
import { ReconcileBench } from "../../../fakes/reconcile-bench.ts";

const kind = aGadgetKind({ children: [ConfigMap, Namespace] });
const deletionTimestamp = "2026-01-01T00:00:00Z";

/** The resource shop/web with more metadata, and a namespace that it owns. */
function aResourceWith(
  metadata: Partial<LiveObject["metadata"]>,
  child: Partial<LiveObject["metadata"]> = {},
) {
  const bench = new ReconcileBench({ kind });
  bench.edit({ ...bench.resource, metadata: { ...bench.resource.metadata, ...metadata } });
  const labels = { [stamps.set]: setOf(Gadget, bench.resource) };
  const owned = aLiveObject({ kind: Namespace, name: "team", namespace: null, labels, metadata: child });
  bench.deliver(bench.cluster.put(owned));
  const loaded = load("shop/web", kind, bench.stores);
  if (loaded === undefined) throw new Error("there is no resource");
  const options = {
    kind,
    cluster: bench.cluster,
    stores: bench.stores,
    lost: bench.lost,
    count: () => undefined,
    onKept: () => expect.fail("nothing was set of others"),
  };
  return { bench, loaded, options };
}

describe("finalize()", () => {
  test.for([
    { when: "it is not being deleted", metadata: { finalizers: [FINALIZER] }, asks: [] },
    { when: "garbage collection deletes all objects", metadata: { deletionTimestamp }, asks: [] },
    {
      when: "another controller's finalizer blocks its deletion",
      metadata: { deletionTimestamp, finalizers: ["example.dev/other"] },
      asks: [],
    },
    {
      when: "our finalizer blocks its deletion",
      metadata: { deletionTimestamp, finalizers: [FINALIZER] },
      asks: ["delete Namespace/team", "metadata Gadget/web"],
    },
  ])("returns $asks when $when", async ({ metadata, asks }) => {
    const { bench, loaded, options } = aResourceWith(metadata);
    await finalize(loaded, options);
    expect(bench.takeRequests()).toEqual(asks);
  });

  test("removes only our finalizer", async () => {
    const finalizers = ["example.dev/other", FINALIZER];
    const { bench, loaded, options } = aResourceWith({ deletionTimestamp, finalizers });
    await finalize(loaded, options);
    expect(bench.resource.metadata.finalizers).toEqual(["example.dev/other"]);
  });

  test.for([
    {
      child: "has finalizers of its own",
      metadata: { finalizers: ["x/y"] },
      asks: ["delete Namespace/team"],
    },
    { child: "is on its way already", metadata: { finalizers: ["x/y"], deletionTimestamp }, asks: [] },
  ])("keeps holding while an object $child", async ({ metadata, asks }) => {
    const { bench, loaded, options } = aResourceWith(
      { deletionTimestamp, finalizers: [FINALIZER] },
      metadata,
    );
    await finalize(loaded, options);
    expect(bench.takeRequests()).toEqual(asks);
    expect(bench.resource.metadata.finalizers).toEqual([FINALIZER]);
  });

  test("does not change objects that we did not apply", async () => {
    const { bench, loaded, options } = aResourceWith({ deletionTimestamp, finalizers: [FINALIZER] });
    await finalize(
      { ...loaded, owned: loaded.owned.map((one) => ({ ...one, live: { ...one.live, ours: false } })) },
      options,
    );
    expect(bench.takeRequests()).toEqual(["metadata Gadget/web"]);
  });
});

describe("holdDeletion()", () => {
  const beyond = { name: "team", annotations: { [stamps.owner]: "gadgets.example.dev/shop/web" } };
  const setWith = (metadata: LiveObject["metadata"] | typeof beyond | { readonly name: string }) => ({
    manifests: [{ apiVersion: "v1", kind: "Namespace", metadata }],
    additions: [],
    set: "",
    digest: "",
  });

  test("adds our finalizer to others, once, if garbage collection cannot delete an object", async () => {
    const { bench, loaded, options } = aResourceWith({ finalizers: ["example.dev/other"] });
    await holdDeletion(loaded, setWith(beyond), options);
    expect(bench.resource.metadata.finalizers).toEqual(["example.dev/other", FINALIZER]);
    bench.takeRequests();
    const again = load("shop/web", kind, bench.stores);
    if (again !== undefined) await holdDeletion(again, setWith(beyond), options);
    expect(bench.takeRequests()).toEqual([]);
  });

  test("adds none if garbage collection can delete all objects", async () => {
    const { bench, loaded, options } = aResourceWith({});
    await holdDeletion(loaded, setWith({ name: "web" }), options);
    expect(bench.takeRequests()).toEqual([]);
  });
});

test("isLeaving() is true of a resource, and of all in a namespace, that is being deleted", () => {
  const { bench, loaded } = aResourceWith({});
  expect(isLeaving(loaded.resource, bench.stores)).toBe(false);
  bench.terminating.add("shop");
  expect(isLeaving(loaded.resource, bench.stores)).toBe(true);
  const deleted = aResourceWith({ deletionTimestamp });
  expect(isLeaving(deleted.loaded.resource, deleted.bench.stores)).toBe(true);
});
