import { describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../../../crds/core-kinds.ts";
import { RUN_FINALIZER } from "../../../operator/engine/run-finalizer.ts";
import { routeEvents } from "../../../operator/runtime/routes.ts";
import { stamps } from "../../../synth/manifest.ts";
import { setOf } from "../../../synth/stamp.ts";
import { anAddingKind } from "../../fakes/adding-kind.ts";
import { aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { controlledBy, WatchedKinds } from "../../fakes/watched-kinds.ts";

const gadget = { apiVersion: "example.dev/v1", kind: "Gadget" };
const selector = "app.kubernetes.io/managed-by=fairlead";
const kind = aGadgetKind({
  children: [ConfigMap],
  related: [
    {
      kind: Pod,
      selector,
      ownerKey: ({ metadata }) =>
        metadata.labels?.["of"] === undefined ? undefined : `${metadata.namespace}/${metadata.labels["of"]}`,
    },
  ],
});

/** Routes at work: the resources a and b exist; `take` gives the keys that were put into the queue since. */
async function aRouting({ waiting = [] as readonly string[] } = {}) {
  const watched = new WatchedKinds({ kinds: [kind] });
  const keys: string[] = [];
  const gone: string[] = [];
  routeEvents({
    kind,
    stores: watched.stores,
    queue: { add: (key, { priority } = {}) => void keys.push(`${key}${priority ? ` ${priority}` : ""}`) },
    onGone: ({ metadata }) => void gone.push(`resource ${metadata.name}`),
    onChildGone: ({ metadata }) => {
      gone.push(`child ${metadata.name}`);
      return waiting;
    },
  });
  const resources = watched.source("resource", Gadget);
  const children = watched.source("child", ConfigMap);
  const related = watched.source("related", Pod);
  for (const name of ["a", "b"]) resources.put({ name });
  const take = async () => {
    await watched.clock.settle();
    return keys.splice(0);
  };
  return {
    watched,
    resources,
    children,
    related,
    gone,
    take,
    [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose](),
  };
}

/** Past the initial lists, whose keys are taken out. */
async function aRunningRouting(options?: { readonly waiting: readonly string[] }) {
  const routing = await aRouting(options);
  await routing.watched.start();
  await routing.take();
  return routing;
}

describe("routeEvents()", () => {
  test("gives objects of initial lists a lower priority than edits", async () => {
    await using routing = await aRouting();
    routing.children.put({ name: "x", metadata: controlledBy(gadget, "b") });
    await routing.watched.start();
    const first = await routing.take();
    expect(new Set(first)).toEqual(new Set(["shop/a -100", "shop/b -100"]));
    routing.resources.put({ name: "a", generation: 2 });
    routing.resources.put({ name: "c" });
    expect(await routing.take()).toEqual(["shop/a", "shop/c"]);
  });

  test("reconciles a deleted resource while the finalizer of its run blocks garbage collection", async () => {
    await using routing = await aRunningRouting();
    const finalizers = [RUN_FINALIZER];
    routing.children.put({ name: "x", metadata: { ...controlledBy(gadget, "gone"), finalizers } });
    expect(await routing.take()).toEqual(["shop/gone"]);
    routing.children.put({ name: "y", metadata: controlledBy(gadget, "gone") });
    expect(await routing.take()).toEqual([]);
  });

  test("reconciles the old and the new owner once each when a child's controller changes (case 30)", async () => {
    await using routing = await aRunningRouting();
    routing.children.put({ name: "x", metadata: controlledBy(gadget, "a") });
    expect(await routing.take()).toEqual(["shop/a"]);
    routing.children.put({ name: "x", metadata: controlledBy(gadget, "b") });
    expect(await routing.take()).toEqual(["shop/a", "shop/b"]);
    routing.children.put({ name: "x", metadata: controlledBy(gadget, "b"), generation: 2 });
    expect(await routing.take()).toEqual(["shop/b"]);
  });

  test.for([
    { of: "by its controller", labels: {}, metadata: controlledBy(gadget, "a"), keys: ["shop/a"] },
    {
      of: "by the label of its set, without a controller",
      labels: { [stamps.set]: setOf(Gadget, { metadata: { name: "a", namespace: "shop" } }) },
      metadata: {},
      keys: ["shop/a"],
    },
    {
      of: "by its controller, whatever its label says",
      labels: { [stamps.set]: setOf(Gadget, { metadata: { name: "a", namespace: "shop" } }) },
      metadata: controlledBy(gadget, "b"),
      keys: ["shop/b"],
    },
    {
      of: "not if its resource is gone, which is the garbage collector's work",
      labels: {},
      metadata: controlledBy(gadget, "nobody"),
      keys: [],
    },
    {
      of: "not if a kind of the same name in another group controls it",
      labels: {},
      metadata: controlledBy({ ...gadget, apiVersion: "example.org/v1" }, "a"),
      keys: [],
    },
    {
      of: "whatever version of the kind its controller is said to have",
      labels: {},
      metadata: controlledBy({ ...gadget, apiVersion: "example.dev/v1alpha1" }, "a"),
      keys: ["shop/a"],
    },
    {
      of: "not if a set is named that no resource has",
      labels: { [stamps.set]: "applyset-other-v1" },
      metadata: {},
      keys: [],
    },
  ])("finds the resource of a child $of", async ({ labels, metadata, keys }) => {
    await using routing = await aRunningRouting();
    routing.children.put({ name: "x", labels, metadata });
    expect(await routing.take()).toEqual(keys);
  });

  test("requeues the owner of a deleted child, and the resource that waited for its deletion", async () => {
    await using routing = await aRunningRouting({ waiting: ["shop/waiting"] });
    routing.children.put({ name: "x", metadata: controlledBy(gadget, "a") });
    await routing.take();
    routing.children.remove("shop/x");
    expect(await routing.take()).toEqual(["shop/a", "shop/waiting"]);
    expect(routing.gone).toEqual(["child x"]);
  });

  test("reports a deleted resource, and reconciles it a last time", async () => {
    await using routing = await aRunningRouting();
    routing.resources.remove("shop/a");
    expect(await routing.take()).toEqual(["shop/a"]);
    expect(routing.gone).toEqual(["resource a"]);
  });

  test("requeues the resource that a related object belongs to, and no other", async () => {
    await using routing = await aRunningRouting();
    routing.related.put({ name: "pod", labels: { of: "a" } });
    expect(await routing.take()).toEqual(["shop/a"]);
    routing.related.put({ name: "pod", labels: { of: "b" } });
    expect(await routing.take()).toEqual(["shop/a", "shop/b"]);
    routing.related.put({ name: "stranger" });
    routing.related.put({ name: "orphan", labels: { of: "nobody" } });
    expect(await routing.take()).toEqual([]);
    routing.related.remove("shop/pod");
    expect(await routing.take()).toEqual(["shop/b"]);
    // The deletion of a pod unblocks no resource
    expect(routing.gone).toEqual([]);
  });

  test("requeues every resource that selects a related object, and those that selected it before its change", async () => {
    const adding = anAddingKind();
    await using watched = new WatchedKinds({ kinds: [adding] });
    const keys: string[] = [];
    const gone: string[] = [];
    routeEvents({
      kind: adding,
      stores: watched.stores,
      queue: { add: (key) => void keys.push(key) },
      onGone: () => undefined,
      onChildGone: () => [],
      onRelatedGone: ({ metadata }) => void gone.push(metadata.name),
    });
    const take = async () => {
      await watched.clock.settle();
      return keys.splice(0).toSorted();
    };
    const resources = watched.source("resource", adding.definition);
    for (const [name, seeks] of Object.entries({ a: "x", b: "x", c: "y" }))
      resources.put({ name, labels: { seeks } });
    resources.put({ name: "d" });
    await watched.start();
    await take();
    const pods = watched.source("related", Pod);
    pods.put({ name: "pod", labels: { of: "x" } });
    expect(await take()).toEqual(["shop/a", "shop/b"]);
    resources.put({ name: "b", labels: { seeks: "y" } });
    expect(await take()).toEqual(["shop/b"]);
    pods.put({ name: "pod", labels: { of: "y" } });
    expect(await take()).toEqual(["shop/a", "shop/b", "shop/c"]);
    pods.put({ name: "unlabelled" });
    expect(await take()).toEqual([]);
    pods.remove("shop/pod");
    expect(await take()).toEqual(["shop/b", "shop/c"]);
    expect(gone).toEqual(["pod"]);
  });

  test("ignores objects of other kinds, also if they have children of the same kind", async () => {
    const Gizmo = { ...Gadget, kind: "Gizmo", plural: "gizmos" };
    const gizmos = { ...kind, definition: Gizmo };
    await using watched = new WatchedKinds({ kinds: [kind, gizmos] });
    const keys: string[] = [];
    routeEvents({
      kind: gizmos,
      stores: watched.stores,
      queue: { add: (key) => void keys.push(key) },
      onGone: () => undefined,
      onChildGone: () => [],
    });
    await watched.start();
    watched.source("resource", Gadget).put({ name: "a" });
    watched.source("child", ConfigMap).put({ name: "x", metadata: controlledBy(gadget, "a") });
    await watched.clock.settle();
    expect(keys).toEqual([]);
    watched.source("resource", Gizmo).put({ name: "a" });
    await watched.clock.settle();
    expect(keys).toEqual(["shop/a"]);
  });
});
