import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SealedRecords } from "../../../../operator/desire/release/sealed-records.ts";
import { decidePrune } from "../../../../operator/engine/decide-prune.ts";
import type { DesiredSet, OwnedObject } from "../../../../operator/engine/desired-set.ts";
import type { Health } from "../../../../operator/engine/health/health.ts";
import {
  composeInventory,
  entriesToRecord,
  inventoryOf,
  recordedIdsOf,
} from "../../../../operator/engine/inventory.ts";
import { builtInShapeOf } from "../../../../operator/engine/kind-shapes.ts";
import { planChanges } from "../../../../operator/engine/plan.ts";
import { idOf, type Manifest, type ObjectId, stamps } from "../../../../synth/manifest.ts";
import {
  type DesiredCommit,
  desiredCommit,
  desiredObjects,
  prepareCommit,
} from "../../../fakes/desired-objects.ts";
import { testSealer } from "../../../fakes/records.ts";
import { aCommit, aRelease, asOwned } from "../../../fakes/releases.ts";
import { limitRuns } from "../../../long.ts";

const current: Health = { status: "Current", reason: "Current", message: "" };

const records = new SealedRecords(testSealer);

/** A cluster with one Release. Its objects are kept when the operator crashes. */
class ModelCluster {
  readonly objects = new Map<ObjectId, OwnedObject>();
  release = aRelease();
  #made = 0;

  apply(manifest: Manifest): void {
    const id = idOf(manifest);
    const uid = this.objects.get(id)?.live.metadata.uid ?? `uid-${this.#made++}`;
    const isDefinition = manifest.kind === "CustomResourceDefinition";
    const established = { status: { conditions: [{ type: "Established", status: "True" }] } };
    const made = asOwned(manifest, { uid });
    this.objects.set(id, isDefinition ? { ...made, live: { ...made.live, ...established } } : made);
  }

  /** The first record is an annotation, as the operator writes it; later ones are in the status. */
  record(entries: readonly ObjectId[]): void {
    const sealed =
      inventoryOf(records.open(this.release)) === undefined ? records.seal(aRelease(), entries) : undefined;
    this.release = sealed
      ? aRelease({ annotations: sealed })
      : aRelease({ status: { inventory: { entries: [...entries] } } as never });
  }

  get recorded(): ReadonlySet<ObjectId> {
    return recordedIdsOf(records.open(this.release));
  }

  /** The Release's objects: those that are recorded. */
  owned(): readonly OwnedObject[] {
    return [...this.objects.values()].filter(({ id }) => this.recorded.has(id));
  }
}

/** One reconcile as the phases do it; every `yield` is a point at which the operator may be killed. */
function* reconcile(prepared: DesiredSet, cluster: ModelCluster): Generator<void> {
  for (;;) {
    const plan = planChanges({
      resource: cluster.release,
      desired: prepared,
      observed: ({ id }) => cluster.objects.get(id)?.live,
      watch: () => ({ hasSynced: true, refusal: undefined }),
      isSettled: () => true,
      shapeOf: builtInShapeOf,
      assess: () => current,
    });
    const entries = entriesToRecord({ plan, prepared, recorded: cluster.recorded });
    if (entries !== undefined) yield cluster.record(entries);
    for (const { manifest } of plan.apply.flat()) yield cluster.apply(manifest);
    if (plan.isComplete) break;
    expect(plan.mayUnblockMore).toBe(true);
  }
  for (;;) {
    const desired = new Set(prepared.objects.map(({ id }) => id));
    const { now, held } = decidePrune({
      resource: cluster.release,
      set: prepared.set,
      owned: cluster.owned(),
      desired: prepared,
      observed: ({ id }) => cluster.objects.get(id)?.live,
      isOn: true,
      deployed: undefined,
      approved: aCommit("a").id,
      approvals: [aCommit("a").id],
    });
    expect(held).toBeUndefined();
    for (const { id } of now) {
      expect(desired).not.toContain(id);
      yield void cluster.objects.delete(id);
    }
    if (now.length === 0) break;
  }
  const { entries } = composeInventory({
    owned: cluster.owned(),
    prepared,
    previous: { entries: [...cluster.recorded] },
    isComplete: true,
  });
  if (entries.join() !== [...cluster.recorded].join()) yield cluster.record(entries);
}

describe("a Release whose operator is killed at any point", () => {
  test("never has an object that it has not recorded, and converges after the last crash", () => {
    const crash = fc.record({ commit: desiredCommit, steps: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(crash, { maxLength: 5 }), desiredCommit, (crashes, last) => {
        const cluster = new ModelCluster();
        const run = (one: DesiredCommit, steps: number): DesiredSet | undefined => {
          const prepared = prepareCommit(one);
          if (prepared === undefined) return undefined;
          let left = steps;
          for (const _ of reconcile(prepared, cluster)) {
            for (const id of cluster.objects.keys()) expect(cluster.recorded).toContain(id);
            if (--left < 0) break;
          }
          return prepared;
        };
        for (const { commit: one, steps } of crashes) run(one, steps);
        const prepared = run(last, Number.POSITIVE_INFINITY);
        if (prepared === undefined) return;
        expect([...cluster.objects.keys()].sort()).toEqual(prepared.objects.map(({ id }) => id).sort());
        expect([...cluster.recorded]).toEqual([...cluster.objects.keys()].sort());
        // Nothing is left to do.
        expect([...reconcile(prepared, cluster)]).toEqual([]);
      }),
      { numRuns: limitRuns(150) },
    );
  });

  test("never deletes what others created or moved to another set", () => {
    const mark = fc.constantFrom("ours", "otherSet", "notOurs", "controlled");
    fc.assert(
      fc.property(
        desiredObjects,
        desiredObjects,
        fc.array(mark, { minLength: 8, maxLength: 8 }),
        (before, after, marks) => {
          const [there, prepared] = [
            prepareCommit({ wanted: before, edges: [] }),
            prepareCommit({ wanted: after, edges: [] }),
          ];
          if (there === undefined || prepared === undefined) return;
          const owned = there.objects.map(({ manifest }, index): OwnedObject => {
            const one = asOwned(manifest);
            const { metadata } = one.live;
            const controller = { apiVersion: "v1", kind: "X", name: "x", uid: "x", controller: true };
            const is = marks[index];
            const changed = {
              ...metadata,
              ...(is === "otherSet" && { labels: { [stamps.set]: "other" } }),
              ...(is === "controlled" && { ownerReferences: [controller] }),
            };
            return { ...one, live: { ...one.live, metadata: changed, ours: is !== "notOurs" } };
          });
          const { now, later } = decidePrune({
            resource: aRelease(),
            set: prepared.set,
            owned,
            desired: prepared,
            observed: ({ id }) => owned.find((one) => one.id === id)?.live,
            isOn: true,
            deployed: undefined,
            approved: aCommit("a").id,
            approvals: [aCommit("a").id],
          });
          const desired = new Set(prepared.objects.map(({ id }) => id));
          const expected = there.objects.filter(
            ({ id }, index) => !desired.has(id) && marks[index] === "ours",
          );
          expect([...now, ...later].map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        },
      ),
    );
  });
});
