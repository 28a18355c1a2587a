import { type CustomResource, groupOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { applyStageOf } from "../../operator/engine/apply-stage.ts";
import { decidePrune, type PruneInput } from "../../operator/engine/decide-prune.ts";
import type { DesiredSet, OwnedObject } from "../../operator/engine/desired-set.ts";
import { builtInShapeOf } from "../../operator/engine/kind-shapes.ts";
import { type Plan, planChanges } from "../../operator/engine/plan.ts";
import { idOf, type Manifest, type ObjectId } from "../../synth/manifest.ts";
import { anOwner, set } from "./owned-objects.ts";

/** The kind of an object, as in its definition. */
export function kindOf({ apiVersion, kind }: Manifest): ObjectKind {
  return {
    group: groupOf(apiVersion),
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
  };
}

export function asOwnedObject(live: LiveObject): OwnedObject {
  return { id: idOf(live), kind: kindOf(live), live };
}

/** The desired set of manifests, of the resource of {@link anOwner}. */
export function aDesiredSet(manifests: readonly Manifest[]): DesiredSet {
  const objects = manifests.map((manifest) => ({
    id: idOf(manifest),
    manifest,
    kind: kindOf(manifest),
    origin: "shop/web",
    stage: applyStageOf(manifest),
    needs: [],
    isEnsured: false,
    lifetime: "kept" as const,
    publish: true,
  }));
  return { set, digest: "d", objects, isOrdered: false };
}

export interface PlanOfInput {
  readonly resource?: CustomResource;
  readonly observed: (id: ObjectId) => LiveObject | undefined;
  readonly isSettled?: (live: LiveObject) => boolean;
}

/** The plan for manifests whose kinds are all watched. Every live object is healthy. */
export function planOf(desired: readonly Manifest[], { resource, observed, isSettled }: PlanOfInput): Plan {
  return planChanges({
    resource: resource ?? anOwner(),
    desired: aDesiredSet(desired),
    observed: ({ id }) => observed(id),
    watch: () => ({ hasSynced: true, refusal: undefined }),
    isSettled: isSettled ?? (() => false),
    shapeOf: builtInShapeOf,
    assess: () => ({ status: "Current", reason: "Current", message: "" }),
  });
}

/** All pruned objects, wave after wave, if each wave is deleted at once. */
export function prunedOf(
  desired: readonly Manifest[],
  owned: readonly LiveObject[],
  more: Partial<PruneInput> = {},
): readonly LiveObject[] {
  let left = owned.map(asOwnedObject);
  const pruned: LiveObject[] = [];
  for (;;) {
    const { now, leaving } = decidePrune({
      resource: anOwner(),
      set,
      owned: left,
      desired: aDesiredSet(desired),
      isReferenced: true,
      mayHold: false,
      deployed: undefined,
      approved: undefined,
      approvals: [],
      ...more,
    });
    if (now.length + leaving.length === 0) return pruned;
    pruned.push(...now.map(({ live }) => live));
    left = left.filter((one) => !now.includes(one) && !leaving.includes(one));
  }
}
