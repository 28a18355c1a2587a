import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, Namespace, Pod, Secret } from "../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { ADDED_INDEX } from "../../../operator/engine/added-index.ts";
import { stamps } from "../../../synth/manifest.ts";
import { setOf } from "../../../synth/stamp.ts";
import { aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { WatchedKinds } from "../../fakes/watched-kinds.ts";

const gadgets = aGadgetKind({ children: [ConfigMap, Secret] });
const gizmos = aGadgetKind({ children: [ConfigMap] });
const Gizmo = { ...Gadget, kind: "Gizmo", plural: "gizmos" };
const both = [gadgets, { ...gizmos, definition: Gizmo }];

describe("the stores of some kinds", () => {
  test("watch a child kind once, for any number of kinds with such children", () => {
    expect(new WatchedKinds({ kinds: both }).watches).toEqual([
      "child configmaps",
      "child secrets",
      "namespace namespaces",
      "resource gadgets.example.dev",
      "resource gizmos.example.dev",
    ]);
  });

  test("watch each namespace separately if only some are configured, without watching namespaces", () => {
    expect(new WatchedKinds({ kinds: [gizmos], namespaces: ["east", "west"] }).watches).toEqual([
      "child configmaps in east",
      "child configmaps in west",
      "resource gadgets.example.dev in east",
      "resource gadgets.example.dev in west",
    ]);
  });

  test("watch cluster-scoped kinds, also if only some namespaces are configured", () => {
    const kind = aGadgetKind({ children: [Namespace] });
    expect(new WatchedKinds({ kinds: [kind], namespaces: ["east"] }).watches).toContain("child namespaces");
  });

  test("read the objects of a resource's set, from every namespace", async () => {
    await using watched = new WatchedKinds({ kinds: [gadgets], namespaces: ["east", "west"] });
    const set = setOf(Gadget, { metadata: { name: "a", namespace: "west" } });
    watched.source("resource", Gadget, "west").put({ name: "a", namespace: "west" });
    watched
      .source("child", ConfigMap, "west")
      .put({ name: "x", namespace: "west", labels: { [stamps.set]: set } });
    watched.source("child", ConfigMap, "east").put({ name: "x", namespace: "east" });
    await watched.start();
    const { stores } = watched;
    expect(
      stores
        .resources(Gadget)
        .byIndex("set", set)
        .map(({ metadata }) => metadata.name),
    ).toEqual(["a"]);
    expect(stores.children(ConfigMap).byIndex("set", set)).toHaveLength(1);
    expect(stores.children(ConfigMap).get("east/x")?.metadata.namespace).toBe("east");
  });

  test("watch related objects once, and find them by the declaration of each kind", async () => {
    const related = (ownerKey: string) => [{ kind: Pod, ownerKey: () => ownerKey }];
    const kinds = [
      aGadgetKind({ related: related("of gadget") }),
      { ...aGadgetKind({ related: related("of gizmo") }), definition: Gizmo },
    ];
    await using watched = new WatchedKinds({ kinds });
    expect(watched.watches.filter((watch) => watch.startsWith("related"))).toEqual(["related pods"]);
    watched.source("related", Pod).put({ name: "pod" });
    await watched.start();
    const pods = watched.stores.related(Pod, undefined);
    expect(pods.byIndex("gadgets.example.dev", "of gadget")).toHaveLength(1);
    expect(pods.byIndex("gizmos.example.dev", "of gizmo")).toHaveLength(1);
    expect(pods.byIndex("gizmos.example.dev", "of gadget")).toEqual([]);
  });

  test("watch a kind once that is reconciled and related to another kind", async () => {
    const kinds = [
      gadgets,
      { ...aGadgetKind({ related: [{ kind: Gadget, ownerKey: () => "all" }] }), definition: Gizmo },
    ];
    await using watched = new WatchedKinds({ kinds });
    expect(watched.watches.filter((watch) => watch.includes("gadgets"))).toEqual([
      "resource gadgets.example.dev",
    ]);
    watched.source("resource", Gadget).put({ name: "a" });
    await watched.start();
    const { stores } = watched;
    expect(stores.related(Gadget, undefined).byIndex("gizmos.example.dev", "all")).toHaveLength(1);
    const set = setOf(Gadget, { metadata: { name: "a", namespace: "shop" } });
    expect(stores.resources(Gadget).byIndex("set", set)).toHaveLength(1);
  });

  test("watch a kind twice if related objects are stored in part", () => {
    const kinds = [
      gadgets,
      { ...aGadgetKind({ related: [{ kind: Gadget, ownerKey: () => "all" }] }), definition: Gizmo },
    ];
    const reduce = (object: LiveObject): LiveObject => object;
    const watched = new WatchedKinds({
      kinds,
      transformOf: (_, { role }) => (role === "related" ? reduce : undefined),
    });
    expect(watched.watches.filter((watch) => watch.includes("gadgets"))).toEqual([
      "related gadgets.example.dev",
      "resource gadgets.example.dev",
    ]);
  });

  test("find objects in which our field managers have set fields, if a kind sets some", async () => {
    const manager = "fairlead/gadgets.example.dev/shop/a";
    const ownerKey = () => undefined;
    const kinds = [
      aGadgetKind({
        related: [
          { kind: Deployment, ownerKey, fields: ["spec.paused"] },
          { kind: Pod, ownerKey },
        ],
      }),
      { ...aGadgetKind({ related: [{ kind: Deployment, ownerKey }] }), definition: Gizmo },
    ];
    await using watched = new WatchedKinds({ kinds });
    watched.source("related", Deployment).put({ name: "set", fields: { addedFields: { [manager]: {} } } });
    watched.source("related", Deployment).put({ name: "other" });
    await watched.start();
    const found = watched.stores.related(Deployment, undefined).byIndex(ADDED_INDEX, manager);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(["set"]);
    expect(() => watched.stores.related(Pod, undefined).byIndex(ADDED_INDEX, manager)).toThrow(
      "no such index",
    );
  });

  test("refuse to read a kind that is not declared, because that is a defect", () => {
    const { stores } = new WatchedKinds({ kinds: [gizmos] });
    expect(() => stores.children(Secret)).toThrow('"secrets": no kind declares it as child');
    expect(() => stores.related(Pod, "app=x")).toThrow("no kind declares it as related");
    expect(() => stores.resources(Gizmo)).toThrow('"gizmos.example.dev"');
  });

  test("report a deleted namespace from the watch of namespaces", async () => {
    await using watched = new WatchedKinds();
    const namespaces = watched.source("namespace", Namespace);
    namespaces.put({ name: "shop", namespace: null });
    await watched.start();
    expect(watched.stores.isTerminating("shop")).toBe(false);
    expect(watched.stores.isTerminating("never-seen")).toBe(false);
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    namespaces.put({ name: "shop", namespace: null, metadata: { deletionTimestamp } });
    await watched.clock.settle();
    expect(watched.stores.isTerminating("shop")).toBe(true);
  });

  test("keep a refusal for half a minute, and then requeue all resources once", async () => {
    await using watched = new WatchedKinds({ namespaces: ["shop"] });
    const told: string[] = [];
    watched.stores.onReadmit((namespace) => told.push(`first ${namespace}`));
    watched.stores.onReadmit((namespace) => told.push(`second ${namespace}`));
    // Several workers are refused at the same time
    for (let times = 0; times < 3; times++) watched.stores.refuse("shop");
    expect(watched.stores.isTerminating("shop")).toBe(true);
    expect(watched.stores.isTerminating("other")).toBe(false);
    await watched.clock.advance(29_999);
    expect(watched.stores.isTerminating("shop")).toBe(true);
    expect(told).toEqual([]);
    await watched.clock.advance(1);
    expect(watched.stores.isTerminating("shop")).toBe(false);
    expect(told).toEqual(["first shop", "second shop"]);
    // The next refusal starts a new wait
    watched.stores.refuse("shop");
    expect(watched.stores.isTerminating("shop")).toBe(true);
  });
});
