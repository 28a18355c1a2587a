import { describe, expect, test } from "vitest";
import {
  decideDeletion,
  decidePrune,
  type PruneDecision,
  type PruneInput,
} from "../../../operator/engine/decide-prune.ts";
import type { OwnedObject } from "../../../operator/engine/desired-set.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aCommit, aRelease, aSourceManifest, asOwned, asPrepared } from "../../fakes/releases.ts";

const configMaps = (...names: string[]) => names.map((name) => aSourceManifest("v1", "ConfigMap", name));
const head = aCommit("a").id;

/** The objects of a Release that applied these manifests. */
const owned = (manifests: ReturnType<typeof configMaps>): OwnedObject[] =>
  asPrepared(manifests).objects.map(({ manifest }) => asOwned(manifest));

const decide = (
  desired: ReturnType<typeof configMaps>,
  there: readonly OwnedObject[],
  more: Partial<PruneInput> = {},
): PruneDecision => {
  const prepared = asPrepared(desired);
  return decidePrune({
    resource: aRelease(),
    set: prepared.set,
    owned: there,
    desired: prepared,
    observed: ({ id }) => there.find((one) => one.id === id)?.live,
    isOn: true,
    deployed: there.length,
    approved: undefined,
    approvals: [head],
    ...more,
  });
};

const idsOf = (objects: readonly OwnedObject[]) => objects.map(({ id }) => id);
const nothing = { now: [], later: [], leaving: [], kept: [], held: undefined };

/** One object of ours, changed. */
const changed = (change: (one: OwnedObject) => Partial<OwnedObject["live"]>): OwnedObject[] => {
  const [keep, one] = owned(configMaps("keep", "gone")) as [OwnedObject, OwnedObject];
  return [keep, { ...one, live: { ...one.live, ...change(one) } as OwnedObject["live"] }];
};

describe("decidePrune()", () => {
  test("deletes objects that are owned and no longer desired", () => {
    const made = decide(configMaps("keep"), owned(configMaps("keep", "gone")));
    expect({ ...made, now: idsOf(made.now) }).toEqual({ ...nothing, now: ["/ConfigMap/shop/gone"] });
  });

  test.for([
    {
      why: "has the label of another set",
      live: ({ live }: OwnedObject) => ({
        metadata: { ...live.metadata, labels: { [stamps.set]: "other" } },
      }),
    },
    { why: "was not applied by our manager", live: () => ({ ours: false }) },
    {
      why: "has another controller",
      live: ({ live }: OwnedObject) => ({
        metadata: {
          ...live.metadata,
          ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x", controller: true }],
        },
      }),
    },
  ])("never deletes an object that $why", ({ live }) => {
    expect(decide(configMaps("keep"), changed(live))).toEqual(nothing);
  });

  test.for([
    ["fairlead.dev/prune", "disabled"],
    ["cli-utils.sigs.k8s.io/on-remove", "keep"],
    ["client.lifecycle.config.k8s.io/deletion", "detach"],
  ] as const)("keeps an object that is annotated with %s: %s", ([name, value]) => {
    const there = changed(({ live }) => ({ metadata: { ...live.metadata, annotations: { [name]: value } } }));
    const made = decide(configMaps("keep"), there);
    expect({ ...made, kept: idsOf(made.kept) }).toEqual({ ...nothing, kept: ["/ConfigMap/shop/gone"] });
  });

  test("keeps all objects if pruning is disabled", () => {
    const made = decide(configMaps("keep"), owned(configMaps("keep", "gone")), { isOn: false });
    expect({ ...made, kept: idsOf(made.kept) }).toEqual({ ...nothing, kept: ["/ConfigMap/shop/gone"] });
  });

  test("keeps a desired object that is listed under another API group", () => {
    const there = owned(configMaps("keep", "gone"));
    const desiredUid = there[0]?.live.metadata.uid ?? "";
    const twin = changed(({ live }) => ({ metadata: { ...live.metadata, uid: desiredUid } }));
    expect(decide(configMaps("keep"), [there[0] as OwnedObject, twin[1] as OwnedObject])).toEqual(nothing);
  });

  test("also finds such an object among the owned ones if no other objects are given", () => {
    const [keep, gone] = owned(configMaps("keep", "gone")) as [OwnedObject, OwnedObject];
    const twin = {
      ...gone,
      live: { ...gone.live, metadata: { ...gone.live.metadata, uid: keep.live.metadata.uid } },
    };
    const prepared = asPrepared(configMaps("keep"));
    const { now } = decidePrune({
      resource: aRelease(),
      set: prepared.set,
      owned: [keep, twin],
      desired: prepared,
      isOn: true,
      deployed: 2,
      approved: undefined,
      approvals: [head],
    });
    expect(now).toEqual([]);
  });

  test("does not wait for the deletion of objects of others", () => {
    const there = changed(({ live }) => ({
      ours: false,
      metadata: { ...live.metadata, deletionTimestamp: "2026-11-21T00:00:00Z" },
    }));
    expect(decide(configMaps("keep"), there)).toEqual(nothing);
  });

  test("waits for terminating objects before it continues with earlier stages", () => {
    const both = [
      aSourceManifest("v1", "Service", "gone"),
      aSourceManifest("apps/v1", "Deployment", "gone"),
      ...configMaps("keep", "gone"),
    ];
    const there = owned(both);
    const first = decide(configMaps("keep"), there);
    expect(idsOf(first.now)).toEqual(["/Service/shop/gone"]);
    expect(idsOf(first.later)).toEqual(["apps/Deployment/shop/gone", "/ConfigMap/shop/gone"]);
    const leaving = there.map((one) =>
      one.live.kind === "Service"
        ? {
            ...one,
            live: {
              ...one.live,
              metadata: { ...one.live.metadata, deletionTimestamp: "2026-11-21T00:00:00Z" },
            },
          }
        : one,
    );
    const second = decide(configMaps("keep"), leaving);
    expect({ now: idsOf(second.now), later: idsOf(second.later), leaving: idsOf(second.leaving) }).toEqual({
      now: [],
      later: ["apps/Deployment/shop/gone", "/ConfigMap/shop/gone"],
      leaving: ["/Service/shop/gone"],
    });
    const third = decide(
      configMaps("keep"),
      there.filter(({ live }) => live.kind !== "Service"),
    );
    expect(idsOf(third.now)).toEqual(["apps/Deployment/shop/gone"]);
  });

  test("uses the stages of objects that the recorded order does not contain", () => {
    const deployment = aSourceManifest("apps/v1", "Deployment", "web");
    const there = owned([...configMaps("keep", "gone"), deployment]);
    const made = decide(configMaps("keep"), there, { waves: [["/ConfigMap/shop/keep"]] });
    const order = [["apps/Deployment/shop/web"], ["/ConfigMap/shop/gone"]];
    expect([idsOf(made.now), idsOf(made.later)]).toEqual(order);
  });

  test("uses the order that the source declared", () => {
    const there = owned(configMaps("keep", "a", "b"));
    const waves = [["/ConfigMap/shop/b"], ["/ConfigMap/shop/a"]];
    const made = decide(configMaps("keep"), there, { waves });
    expect([idsOf(made.now), idsOf(made.later)]).toEqual([["/ConfigMap/shop/a"], ["/ConfigMap/shop/b"]]);
  });

  test.for([
    { case: "1 of 2", desired: ["a"], there: ["a", "b"], held: false },
    { case: "3 of 4", desired: ["a"], there: ["a", "b", "c", "d"], held: false },
    { case: "2 of 5", desired: ["a", "b", "c"], there: ["a", "b", "c", "d", "e"], held: false },
    { case: "3 of 5", desired: ["a", "b"], there: ["a", "b", "c", "d", "e"], held: true },
    { case: "3 of 6", desired: ["a", "b", "c"], there: ["a", "b", "c", "d", "e", "f"], held: false },
    { case: "all of 1", desired: [], there: ["a"], held: true },
  ])("$case is held: $held", ({ desired, there, held }) => {
    const made = decide(configMaps(...desired), owned(configMaps(...there)));
    expect(made.held !== undefined).toBe(held);
    expect(made.now.length > 0).toBe(!held);
  });

  test("counts the objects deployed before, without those that the new commit has created since", () => {
    const desired = ["v", "w", "x", "y", "z"];
    const there = owned(configMaps("a", "b", "c", "d", "e", ...desired));
    expect(decide(configMaps(...desired), there, { deployed: 5 }).held?.message).toBe(
      "Nothing is deleted, because 5 objects would be (ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c and 2 more), and that is " +
        `more than half of 5. To approve this: kubectl annotate release web -n shop --overwrite fairlead.dev/approve-prune=${head}`,
    );
    expect(decide(configMaps(...desired), there, { deployed: 50 }).held).toBeUndefined();
  });

  test.for([
    { kind: "Namespace", apiVersion: "v1", fields: {}, held: true },
    { kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1", fields: {}, held: true },
    { kind: "Release", apiVersion: "fairlead.dev/v1alpha1", fields: {}, held: true },
    { kind: "PersistentVolumeClaim", apiVersion: "v1", fields: { status: { phase: "Bound" } }, held: true },
    {
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      fields: { status: { phase: "Pending" } },
      held: false,
    },
  ])("a $kind that may have content is held: $held", ({ kind, apiVersion, fields, held }) => {
    const there = owned([...configMaps("keep"), aSourceManifest(apiVersion, kind, "gone", { fields })]);
    const made = decide(configMaps("keep"), there);
    expect(made.held !== undefined).toBe(held);
    if (held)
      expect(made.held?.message).toMatch(new RegExp(`the content of ${kind} (shop/)?gone would be lost`));
    expect(decide(configMaps("keep"), there, { hasContent: () => false }).held).toBeUndefined();
  });

  test.for([
    { approved: head, goes: true },
    { approved: head.slice(0, 7), goes: true },
    { approved: head.slice(0, 6), goes: false },
    { approved: aCommit("b").id, goes: false },
    { approved: "", goes: false },
  ])("approval of '$approved' allows its deletion: $goes", ({ approved, goes }) => {
    const made = decide([], owned(configMaps("a")), { approved });
    expect(made.now.length > 0).toBe(goes);
  });
});

describe("decideDeletion()", () => {
  test("deletes all of our objects, the last stage first, without approval", () => {
    const there = owned([
      aSourceManifest("v1", "Namespace", "prod"),
      aSourceManifest("apps/v1", "Deployment", "web"),
      ...configMaps("web"),
    ]);
    const set = asPrepared([]).set;
    const made = decideDeletion({ resource: aRelease(), set, owned: there });
    expect(idsOf(made.now)).toEqual(["apps/Deployment/shop/web"]);
    expect(idsOf(made.later)).toEqual(["/ConfigMap/shop/web", "/Namespace//prod"]);
    expect(made.held).toBeUndefined();
  });

  test("keeps objects that are annotated to be kept", () => {
    const there = changed(({ live }) => ({
      metadata: { ...live.metadata, annotations: { "fairlead.dev/prune": "disabled" } },
    }));
    const made = decideDeletion({ resource: aRelease(), set: asPrepared([]).set, owned: there });
    expect([idsOf(made.now), idsOf(made.kept)]).toEqual([["/ConfigMap/shop/keep"], ["/ConfigMap/shop/gone"]]);
  });
});
