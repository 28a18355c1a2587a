import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../../../crds/core-kinds.ts";
import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import { decidePrune, type PruneDecision, type PruneInput } from "../../../operator/engine/decide-prune.ts";
import type { DesiredObject, LifetimeRule, OwnedObject } from "../../../operator/engine/desired-set.ts";
import { countLasting, sortByLifetime } from "../../../operator/engine/lifetimes.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";
import { aDesiredSet } from "../../fakes/plans.ts";

const owned = (kind: ObjectKind, name: string, creationTimestamp = "2026-01-01T00:00:00Z"): OwnedObject => {
  const live = asLive(aManifest({ kind: kind.kind, name }), { creationTimestamp });
  return { id: idOf(live), kind, live };
};
const newest =
  (count: number): LifetimeRule["keep"] =>
  (left) =>
    left.slice(Math.max(0, left.length - count));
const runs = (keep?: LifetimeRule["keep"]): LifetimeRule => ({ kind: Pod, lifetime: "run", keep });
const once = (keep?: LifetimeRule["keep"]): LifetimeRule => ({ kind: Pod, lifetime: "once", keep });
const namesOf = (objects: readonly OwnedObject[]) => objects.map(({ live }) => live.metadata.name);

/** The pruned objects of a set whose Pods are created once. `desired` has names of ConfigMaps and Pods. */
function decide(
  there: readonly OwnedObject[],
  {
    configMaps = [],
    pods = [],
    rule = runs(),
    ...more
  }: {
    configMaps?: readonly string[];
    pods?: readonly string[];
    rule?: LifetimeRule;
  } & Partial<PruneInput> = {},
): PruneDecision {
  const manifests = [
    ...configMaps.map((name) => aManifest({ name })),
    ...pods.map((name) => aManifest({ kind: "Pod", name })),
  ];
  const { objects, ...desired } = aDesiredSet(manifests);
  const withLifetimes = objects.map(
    (object): DesiredObject => ({
      ...object,
      lifetime: object.manifest.kind === "Pod" ? rule.lifetime : "kept",
    }),
  );
  return decidePrune({
    resource: anOwner(),
    set,
    owned: there,
    desired: { ...desired, objects: withLifetimes, lifetimes: [rule] },
    isReferenced: true,
    deployed: undefined,
    approved: undefined,
    approvals: ["digest"],
    ...more,
  });
}

describe("decidePrune() for objects that are created once", () => {
  test("keeps all of them by default, and reports why", () => {
    const { now, kept, held } = decide([owned(ConfigMap, "a"), owned(Pod, "one"), owned(Pod, "two")], {
      configMaps: ["a"],
    });
    expect([now, held]).toEqual([[], undefined]);
    expect(kept.map(({ id, why }) => `${id}: ${why}`)).toEqual([
      '/Pod/shop/one: its lifetime is "run", and its kind keeps it',
      '/Pod/shop/two: its lifetime is "run", and its kind keeps it',
    ]);
  });

  test("deletes the oldest ones beyond their number; in one second, the first by name", () => {
    const there = [
      owned(Pod, "d", "2026-01-01T00:00:04Z"),
      owned(Pod, "c", "2026-01-01T00:00:01Z"),
      owned(Pod, "b", "2026-01-01T00:00:02Z"),
      owned(Pod, "a", "2026-01-01T00:00:02Z"),
    ];
    const { now, kept } = decide(there, { rule: once(newest(2)) });
    expect([namesOf(now), namesOf(kept).sort()]).toEqual([
      ["a", "c"],
      ["b", "d"],
    ]);
  });

  test("does not count those that the chart still creates", () => {
    const there = [owned(Pod, "a", "2026-01-01T00:00:01Z"), owned(Pod, "b", "2026-01-01T00:00:02Z")];
    const { now, kept } = decide(there, { pods: ["b"], rule: once(newest(1)) });
    expect([namesOf(now), namesOf(kept)]).toEqual([[], ["a"]]);
  });

  test("deletes those that the kind selects, such as by their phase", () => {
    const isRunning = ({ status }: LiveObject) => (status as { phase: string }).phase === "Running";
    const there = ["Running", "Succeeded", "Failed"].map((phase) => {
      const object = owned(Pod, phase.toLowerCase());
      return { ...object, live: { ...object.live, status: { phase } } };
    });
    const { now } = decide(there, { rule: runs((left) => left.filter((pod) => !isRunning(pod))) });
    expect(namesOf(now)).toEqual(["running"]);
  });

  test("never holds their deletion: neither of all of them, nor of more than half", () => {
    const configMaps = ["1", "2", "3", "4", "5"];
    const pods = ["a", "b", "c", "d", "e", "f"].map((name) => owned(Pod, name));
    const there = [...configMaps.map((name) => owned(ConfigMap, name)), ...pods];
    const { now, held } = decide(there, { configMaps, rule: runs(newest(0)) });
    expect([namesOf(now), held]).toEqual([["a", "b", "c", "d", "e", "f"], undefined]);
  });

  test("deletes them also while other objects are held", () => {
    const { now, held, kept } = decide([owned(ConfigMap, "a"), owned(Pod, "b"), owned(Pod, "c")], {
      rule: runs((left) => left.filter(({ metadata }) => metadata.name === "c")),
    });
    expect([namesOf(now), namesOf(held?.objects ?? []), namesOf(kept)]).toEqual([["b"], ["a"], ["c"]]);
  });

  test("holds a chart that drops all others, although it still creates some that are created once", () => {
    const { held } = decide([owned(ConfigMap, "a"), owned(Pod, "b")], { pods: ["b"] });
    expect(held?.message).toContain(
      '(ConfigMap shop/a), and no object with the lifetime "kept" would be left',
    );
  });

  test("does not count them for the check whether more than half would be deleted", () => {
    const configMaps = ["a", "b", "c", "d", "e"];
    const pods = ["1", "2", "3", "4", "5", "6"].map((name) => owned(Pod, name));
    const there = [...configMaps.map((name) => owned(ConfigMap, name)), ...pods];
    const { held } = decide(there, { configMaps: ["a", "b"] });
    expect(held?.message).toContain("that is more than half of 5");
  });

  test("does not delete objects that are no longer ours, or that an annotation keeps", () => {
    const released = owned(Pod, "released");
    const wanted = owned(Pod, "wanted");
    const there: OwnedObject[] = [
      { ...released, live: asLive(released.live, { ownerReferences: [] }) },
      { ...wanted, live: asLive(wanted.live, { annotations: { "fairlead.dev/prune": "disabled" } }) },
    ];
    const { now, kept } = decide(there, { rule: runs(newest(0)) });
    expect([now, kept.map(({ why }) => why)]).toEqual([[], ["an annotation keeps it"]]);
  });

  test("keeps a number of the newest, for any objects, and never holds a deletion", () => {
    const object = fc.record({
      kind: fc.constantFrom(Pod, ConfigMap),
      name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
      second: fc.integer({ min: 0, max: 3 }),
    });
    const objects = fc.uniqueArray(object, { selector: ({ kind, name }) => `${kind.kind} ${name}` });
    fc.assert(
      fc.property(objects, fc.subarray(["a", "b", "c", "d"]), fc.nat(9), (all, pods, limit) => {
        const there = all.map(({ kind, name, second }) => owned(kind, name, `2026-01-01T00:00:0${second}Z`));
        const { now, later, kept, held } = decide(there, {
          configMaps: ["a", "b"],
          pods,
          rule: once(newest(limit)),
        });
        const going = [...now, ...later].filter(({ kind }) => kind === Pod);
        const left = there.filter(({ kind, live }) => kind === Pod && !pods.includes(live.metadata.name));
        expect(kept.length).toBe(Math.min(limit, left.length));
        expect(namesOf([...going, ...kept]).sort()).toEqual(namesOf(left).sort());
        expect(held?.objects.filter(({ kind }) => kind === Pod) ?? []).toEqual([]);
        const age = ({ live: { metadata } }: OwnedObject) => `${metadata.creationTimestamp} ${metadata.name}`;
        for (const one of going) for (const other of kept) expect(age(one) < age(other)).toBe(true);
      }),
    );
  });
});

describe("sortByLifetime()", () => {
  test("calls no rule if no kind is created once", () => {
    const surplus = [owned(Pod, "a")];
    const sorted = sortByLifetime(surplus);
    expect(sorted).toEqual({ lasting: surplus, over: [], stay: [] });
    expect(sorted.lasting).toBe(surplus);
    expect(countLasting(surplus)).toBe(1);
  });
});
