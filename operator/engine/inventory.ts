import type { Inventory } from "../../crds/inventory.ts";
import type { KubernetesObject, LiveObject } from "../../crds/object.ts";
import { type ObjectId, stamps } from "../../synth/manifest.ts";
import type { DesiredSet, OwnedObject } from "./desired-set.ts";

import { findFinishedJobs } from "./finished-jobs.ts";
import type { Plan } from "./plan.ts";

/** The recorded objects of a resource: those in its status, or else those of its first record. Pure. */
export function inventoryOf(resource: Pick<KubernetesObject, "metadata">): Inventory | undefined {
  const { status, recorded } = resource as Pick<LiveObject, "recorded"> & {
    readonly status?: { readonly inventory?: Inventory };
  };
  return status?.inventory ?? (recorded && { entries: [...recorded] });
}

/**
 * The ids that are recorded for a resource. Only these objects can belong to it, because every id is recorded before its
 * object is first applied, and only the operator can write the record. Pure.
 */
export function recordedIdsOf(resource: Pick<KubernetesObject, "metadata">): ReadonlySet<ObjectId> {
  return new Set(inventoryOf(resource)?.entries);
}

export interface RecordInput {
  readonly plan: Pick<Plan, "taken" | "done" | "others">;
  readonly prepared: Pick<DesiredSet, "objects">;
  readonly recorded: ReadonlySet<ObjectId>;
}

/**
 * The entries that the inventory must contain before a plan is executed; undefined: it contains them already. They are
 * written once for all objects of a commit, including those that are not applied yet. Pure.
 */
export function entriesToRecord({ plan, prepared, recorded }: RecordInput): ObjectId[] | undefined {
  if (plan.taken.every((id) => recorded.has(id))) return undefined;
  const left = new Set([...plan.done, ...plan.others].map(({ id }) => id));
  const wanted = prepared.objects.flatMap(({ id }) => (left.has(id) ? [] : id));
  return [...new Set([...recorded, ...wanted])].sort();
}

export interface InventoryInput {
  /** Recorded objects that exist, after the last applies and prunes. */
  readonly owned: readonly OwnedObject[];
  readonly prepared: DesiredSet;
  /** The record before. */
  readonly previous: Inventory | undefined;
  /** Whether everything is applied and pruned. */
  readonly isComplete: boolean;
  /** Whether a recorded object that is not in `owned` may still exist. Default: never. */
  readonly mayExist?: (id: ObjectId) => boolean;
}

/** The existing objects of a resource, for its status. Pure. */
export function composeInventory(input: InventoryInput): Inventory {
  const { owned, prepared, previous, isComplete, mayExist = () => false } = input;
  const ours = owned.filter(({ live }) => live.ours && live.metadata.labels?.[stamps.set] === prepared.set);
  const kept = previous?.entries.filter(mayExist) ?? [];
  const entries = [...new Set([...ours.map(({ id }) => id), ...kept])].sort();
  const deployed = isComplete ? prepared.objects.length : previous?.deployed;
  const byId = new Map(ours.map(({ id, live }) => [id, live]));
  const liveOf = ({ id }: { readonly id: ObjectId }) => byId.get(id);
  const finished = findFinishedJobs({ prepared, liveOf, before: previous?.finished ?? [] });
  const waves = joinWaves(prepared, previous?.waves ?? [], new Set(entries));
  return {
    entries,
    ...(deployed !== undefined && { deployed }),
    ...(finished.length > 0 && { finished: [...finished].sort() }),
    ...(waves.length > 0 && { waves: waves.map((wave) => [...wave]) }),
  };
}

/** The waves of the desired objects, then those of surplus objects. The last wave is deleted first. */
function joinWaves(
  prepared: DesiredSet,
  before: readonly (readonly ObjectId[])[],
  entries: ReadonlySet<ObjectId>,
): readonly (readonly ObjectId[])[] {
  const wanted = new Set(prepared.objects.map(({ id }) => id));
  const left = before
    .map((wave) => wave.filter((id) => entries.has(id) && !wanted.has(id)))
    .filter((wave) => wave.length > 0);
  if (!prepared.isOrdered && left.length === 0) return [];
  return [...wavesOf(prepared), ...left];
}

/**
 * Groups objects into waves, in apply order. The needs of an object are in earlier waves. The objects of one wave are
 * applied concurrently.
 */
export function wavesOf({ objects }: Pick<DesiredSet, "objects">): readonly (readonly ObjectId[])[] {
  const levels = new Map<ObjectId, number>();
  const waves = new Map<string, ObjectId[]>();
  for (const { id, stage, needs } of objects) {
    const level = needs.reduce((highest, need) => Math.max(highest, (levels.get(need) ?? -1) + 1), 0);
    levels.set(id, level);
    waves.getOrInsertComputed(`${stage} ${String(level).padStart(6, "0")}`, () => []).push(id);
  }
  return [...waves].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ids]) => ids);
}
