import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import type { Health } from "../../../operator/engine/health/health.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { planChanges } from "../../../operator/engine/plan.ts";
import { idOf, type ObjectId, stamps } from "../../../synth/manifest.ts";
import { desiredCommit, prepareCommit } from "../../fakes/desired-objects.ts";
import { aRelease, asOwned } from "../../fakes/releases.ts";
import { limitRuns } from "../../long.ts";

const current: Health = { status: "Current", reason: "Current", message: "" };
const busy: Health = { status: "InProgress", reason: "Updating", message: "on its way" };

describe("planChanges()", () => {
  test("puts every desired object into exactly one list, without cyclic waits", () => {
    const states = fc.array(fc.constantFrom("absent", "kept", "old", "leaving", "foreign", "busy"), {
      minLength: 8,
      maxLength: 8,
    });
    const watches = fc.array(fc.constantFrom("synced", "pending", "refused"), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(desiredCommit, states, watches, (one, state, watched) => {
        const prepared = prepareCommit(one);
        if (prepared === undefined) return;
        const live = new Map<ObjectId, LiveObject>();
        const unhealthy = new Set<ObjectId>();
        for (const [index, { id, manifest }] of prepared.objects.entries()) {
          const is = state[index];
          if (is === "absent") continue;
          const { live: object } = asOwned(manifest, is === "leaving" ? { deletionTimestamp: "now" } : {});
          const { labels, annotations } = object.metadata;
          const old = { ...annotations, [stamps.digest]: "old" };
          const metadata = {
            ...object.metadata,
            ...(is === "foreign" && { labels: {} }),
            ...(is === "old" && { annotations: old, labels: labels ?? {} }),
          };
          live.set(id, { ...object, metadata });
          if (is === "busy") unhealthy.add(id);
        }
        const kinds = [...new Set(prepared.objects.map(({ kind }) => kind))];
        const plan = planChanges({
          resource: aRelease(),
          desired: prepared,
          observed: ({ id }) => live.get(id),
          watch: (kind) => {
            const is = watched[kinds.indexOf(kind)];
            return { hasSynced: is === "synced", refusal: is === "refused" ? "no rights" : undefined };
          },
          isSettled: () => false,
          shapeOf: builtInShapeOf,
          assess: (object) => (unhealthy.has(idOf(object)) ? busy : current),
        });
        const lists = [
          ...plan.apply.flat().map(({ object }) => object.id),
          ...[...plan.keep, ...plan.replace, ...plan.waiting].map(idOf),
          ...plan.blocked.map(({ object }) => object.id),
        ];
        expect(lists.toSorted()).toEqual(prepared.objects.map(({ id }) => id).toSorted());

        const waitsFor = new Map(plan.blocked.map(({ object, on }) => [object.id, on]));
        const visit = (id: ObjectId, path: readonly ObjectId[]): void => {
          expect(path).not.toContain(id);
          for (const next of waitsFor.get(id) ?? []) visit(next, [...path, id]);
        };
        for (const { object } of plan.blocked) visit(object.id, []);
        // An applied object needs only objects that are up to date.
        const kept = new Set(plan.keep.map(idOf).filter((id) => !unhealthy.has(id)));
        for (const { object, because } of plan.apply.flat()) {
          if (because !== "absent" && because !== "digest" && because !== "foreign") continue;
          for (const need of object.needs) expect(kept).toContain(need);
        }
      }),
      { numRuns: limitRuns(300) },
    );
  });
});
