import type { LiveObject } from "../../../crds/object.ts";
import type { NextPlan } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import { decidePrune } from "../../engine/decide-prune.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { ShapeOf } from "../../engine/field-shape.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { SourceRevision } from "../../git/source/ports.ts";
import type { DryCluster } from "../../ports.ts";
import type { PlannedRelease } from "./next-source.ts";
import { type ObserveOptions, observe } from "./object-places.ts";
import { type PlannedAction, planObjects, planPrune } from "./plan-objects.ts";
import { pruneInputOf } from "./prune-release.ts";

export interface PlanNextInput {
  /** The Release, with the inventory of the deployed manifests. */
  readonly release: PlannedRelease;
  readonly prepared: DesiredSet;
  readonly revision: Pick<SourceRevision, "head" | "changed">;
}

export interface PlanNextOptions extends ObserveOptions {
  readonly stores: FoundStores;
  readonly cluster: DryCluster;
  readonly isSettled: (live: LiveObject) => boolean;
  readonly shapeOf: ShapeOf;
}

/**
 * Plans the changes to each object for a commit that a Release does not run, by dry runs.
 *
 * @throws The errors of {@link planObjects}.
 */
export async function planNext(
  { release, prepared, revision: { head, changed } }: PlanNextInput,
  options: PlanNextOptions,
): Promise<ReadonlyMap<ObjectId, PlannedAction>> {
  const { stores } = options;
  const observed = observe({ release, claimed: new Map() }, options);
  const planned = await planObjects({ ...options, release, prepared, observed });
  const owned = stores.owned(release.set, recordedIdsOf(release.resource));
  const prune = decidePrune(pruneInputOf(release, { prepared, head, commit: changed }, { owned, observed }));
  return new Map([...planned, ...planPrune(prune)]);
}

/** The number of objects for each action, as in the status. Pure. */
export function countActions(
  actions: Iterable<PlannedAction>,
): Required<Pick<NextPlan, "create" | "change" | "delete" | "held">> {
  const counts = { create: 0, change: 0, delete: 0, held: 0 };
  for (const action of actions) {
    if (action === "create") counts.create++;
    else if (action === "change" || action === "replace") counts.change++;
    else if (action === "delete") counts.delete++;
    else if (action === "hold") counts.held++;
  }
  return counts;
}
