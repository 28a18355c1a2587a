import { describe, expect, test } from "vitest";
import type { ChildKind, KeepRule } from "../../crds/child-kind.ts";
import { ConfigMap, Pod, Secret } from "../../crds/core-kinds.ts";
import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { Publisher, PublishOffer } from "../../operator/ports.ts";
import { stamps } from "../../synth/manifest.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const aPod = (name: string, { image = "a:1", labels = {} } = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: { containers: [{ name: "run", image }] },
});
const aSecret = (name: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  stringData: { a: "1" },
});

function aPublisher(): Publisher & { readonly offers: PublishOffer[] } {
  const offers: PublishOffer[] = [];
  return {
    offers,
    publish(offer) {
      offers.push(offer);
      return { state: "published", record: { digest: offer.digest, tree: "t", commit: "c" } };
    },
    retire: () => undefined,
  };
}

interface BenchInput {
  readonly children?: readonly (ObjectKind | ChildKind)[];
  readonly objects: readonly object[];
}

/** A resource whose Pods are unpublished runs. */
function aBench({
  children = [ConfigMap, Secret, { kind: Pod, lifetime: "run", publish: false }],
  objects,
}: BenchInput) {
  const publisher = aPublisher();
  const kind = aGadgetKind({ children });
  const bench = new ReconcileBench({ kind, publisher, resource: { spec: { objects } } });
  const find = (name: string): LiveObject => {
    const found = [...bench.cluster.objects.values()].find(
      ({ kind: of, metadata }) => of !== "Gadget" && metadata.name === name,
    );
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    bench,
    publisher,
    find,
    /** Its chart creates these from now on, without an edit. */
    wants: (wanted: readonly object[]) => {
      const { metadata } = bench.resource;
      bench.edit({ ...aResource(kind, { spec: { objects: wanted } }), metadata });
    },
    /** Requests except those for the status. */
    run: async () => {
      await bench.reconcile();
      return bench.takeRequests().filter((request) => !request.startsWith("status"));
    },
    /** Another client changes an object. */
    change: (name: string, change: (object: LiveObject) => object) => {
      const object = find(name);
      bench.deliver(bench.cluster.put({ ...object, ...change(object) }));
    },
  };
}

describe("a reconcile of a resource with a run", () => {
  test("creates it once, and sends nothing when its spec is edited or differs", async () => {
    const { run, wants, change } = aBench({ objects: [aPod("one")] });
    expect(await run()).toEqual(["apply Pod/one"]);
    wants([aPod("one", { image: "a:2" })]);
    expect(await run()).toEqual([]);
    change("one", () => ({ spec: { containers: [] } }));
    expect(await run()).toEqual([]);
  });

  test("corrects a label of it by a patch of its metadata alone, and reports that", async () => {
    const { bench, run, change, find } = aBench({ objects: [aPod("one", { labels: { app: "web" } })] });
    await run();
    change("one", ({ metadata }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, app: "mine", theirs: "1" } },
      spec: { nodeName: "node" },
    }));
    expect(await run()).toEqual(["metadata Pod/one"]);
    expect(find("one")).toMatchObject({
      metadata: { labels: { app: "web", theirs: "1" } },
      spec: { nodeName: "node" },
    });
    expect(bench.events).toMatchObject([
      { reason: "Restored", note: "Restored Pod shop/one: metadata.labels.app was changed" },
    ]);
    expect(await run()).toEqual([]);
  });

  test("does not report a label that its chart has changed", async () => {
    const { bench, run, wants } = aBench({ objects: [aPod("one", { labels: { app: "web" } })] });
    await run();
    wants([aPod("one", { labels: { app: "shop" } })]);
    expect(await run()).toEqual(["metadata Pod/one"]);
    expect(await run()).toEqual([]);
    expect(bench.events).toEqual([]);
  });

  test("keeps it when the chart no longer creates it, and does not create it again", async () => {
    const { bench, run, wants, find } = aBench({ objects: [aConfigMap("a"), aPod("one")] });
    await run();
    wants([aConfigMap("a")]);
    expect(await run()).toEqual([]);
    expect(find("one").metadata.name).toBe("one");
    bench.vanish(find("one"));
    expect(await run()).toEqual([]);
    expect(bench.condition("Applied")).toMatch(/^True/);
  });

  test("creates it again if it was deleted and the chart still contains it, after one read of the resource", async () => {
    const { bench, run, find } = aBench({ objects: [aPod("one")] });
    await run();
    const pod = find("one");
    bench.vanish(pod);
    bench.lost.note(pod, ["shop/web"]);
    expect(await run()).toEqual(["read Gadget/web", "apply Pod/one"]);
  });

  test("deletes what its kind no longer keeps, and nothing is held", async () => {
    const hasEnded = ({ status }: LiveObject) =>
      (status as { phase?: string } | undefined)?.phase === "Succeeded";
    const { bench, run, wants, change } = aBench({
      children: [ConfigMap, { kind: Pod, lifetime: "run", keep: (_, left) => left.filter(hasEnded) }],
      objects: [aPod("one"), aPod("two")],
    });
    await run();
    change("one", () => ({ status: { phase: "Succeeded" } }));
    wants([]);
    expect(await run()).toEqual(["delete Pod/two"]);
    expect(bench.condition("Applied")).toMatch(/^True/);
  });

  test("passes the current resource to the rule", async () => {
    const asMany: KeepRule = ({ spec }, left) =>
      left.slice(0, (spec as { objects: unknown[] }).objects.length);
    const { run, wants } = aBench({
      children: [ConfigMap, { kind: Pod, lifetime: "run", keep: asMany }],
      objects: [aPod("one"), aPod("two")],
    });
    await run();
    wants([aConfigMap("a")]);
    expect(await run()).toEqual(["apply ConfigMap/a", "delete Pod/two"]);
  });

  test("takes over a pod that another operator created for it, without a change of its spec", async () => {
    const { bench, run, find } = aBench({ objects: [aPod("one")] });
    const { name, uid } = bench.resource.metadata;
    const owner = { apiVersion: "example.dev/v1", kind: "Gadget", name, uid, controller: true };
    const theirs = aLiveObject({
      kind: Pod,
      name: "one",
      uid: "theirs",
      ours: false,
      metadata: { ownerReferences: [owner] },
      fields: { spec: { containers: [{ name: "theirs", image: "b" }] } },
    });
    bench.cluster.put(theirs);
    expect(await run()).toEqual(["apply Pod/one", "read Pod/one", "take over Pod/one", "metadata Pod/one"]);
    const { metadata, spec } = find("one");
    expect([metadata.uid, spec]).toEqual(["theirs", theirs["spec"]]);
    expect(Object.keys(metadata.labels ?? {})).toEqual([stamps.set]);
    expect(bench.events).toMatchObject([{ reason: "Adopted" }]);
    expect(await run()).toEqual([]);
  });

  test("does not change a pod of another owner", async () => {
    const { bench, run } = aBench({ objects: [aPod("one")] });
    bench.cluster.put(aLiveObject({ kind: Pod, name: "one", ours: false }));
    expect(await run()).toEqual(["apply Pod/one", "read Pod/one"]);
    expect(bench.condition("Applied")).toBe("False NotOwned");
  });
});

describe("a reconcile of a resource with children that are created once", () => {
  test("never changes them, and keeps a number of the newest ones that the chart no longer creates", async () => {
    const { run, wants, change } = aBench({
      children: [ConfigMap, { kind: Secret, lifetime: "once", keep: 1 }],
      objects: [aSecret("a"), aSecret("b")],
    });
    expect(await run()).toEqual(["apply Secret/a", "apply Secret/b"]);
    change("a", ({ metadata }) => ({ data: {}, metadata: { ...metadata, creationTimestamp: "2026-01-02" } }));
    change("b", ({ metadata }) => ({ metadata: { ...metadata, creationTimestamp: "2026-01-01" } }));
    expect(await run()).toEqual([]);
    wants([aSecret("c")]);
    expect(await run()).toEqual(["apply Secret/c", "delete Secret/b"]);
    expect(await run()).toEqual([]);
  });
});

describe("publishing a resource with children that are not published", () => {
  const filesOf = (offer: PublishOffer | undefined) => [...(offer?.render().keys() ?? [])];

  test("leaves them out, and its digest stays the same when only they change", async () => {
    const { run, wants, publisher } = aBench({ objects: [aConfigMap("a"), aPod("one")] });
    await run();
    wants([aConfigMap("a"), aPod("one"), aPod("two")]);
    await run();
    const [first, second] = publisher.offers;
    expect(filesOf(second)).toEqual(["configmap-a.yaml"]);
    expect(second?.digest).toBe(first?.digest);
    wants([aConfigMap("a")]);
    await run();
    expect(publisher.offers.at(-1)?.digest).toBe(first?.digest);
    wants([aConfigMap("a", { data: { x: "1" } }), aPod("two")]);
    await run();
    expect(publisher.offers.at(-1)?.digest).not.toBe(first?.digest);
  });

  test("offers nothing where nothing was ever published", async () => {
    const { bench, run, publisher } = aBench({ objects: [aPod("one")] });
    await run();
    expect(publisher.offers).toEqual([]);
    expect(bench.resource.status).not.toHaveProperty("published");
    expect(bench.condition("Applied")).toMatch(/^True/);
  });

  test("offers an empty folder where something had been published before", async () => {
    const { bench, run, publisher } = aBench({ objects: [aPod("one")] });
    const status = { published: { digest: "before", tree: "full", commit: "c" } };
    bench.deliver(bench.cluster.put({ ...bench.resource, status }));
    await run();
    expect(publisher.offers).toMatchObject([{ last: status.published }]);
    expect(filesOf(publisher.offers[0])).toEqual([]);
  });
});
