import type { ReleaseStatus } from "../../../crds/release.ts";
import { type ObjectId, stamps } from "../../../synth/manifest.ts";
import type { OwnedObject } from "../ports.ts";
import { findFinishedJobs } from "./finished-jobs.ts";
import type { Prepared } from "./prepare-manifests.ts";

export type Inventory = NonNullable<ReleaseStatus["inventory"]>;

export interface InventoryInput {
  /** Everything that carries the label of our set, after what was just applied and pruned. */
  readonly owned: readonly OwnedObject[];
  readonly prepared: Prepared;
  /** What the status says so far. */
  readonly previous: Inventory | undefined;
  /** Whether all is applied, and all is pruned that was to be. */
  readonly isComplete: boolean;
}

/** The objects of a Release that are there, for its status. Pure. */
export function composeInventory({ owned, prepared, previous, isComplete }: InventoryInput): Inventory {
  const ours = owned.filter(({ live }) => live.ours && live.metadata.labels?.[stamps.set] === prepared.set);
  const entries = [...new Set(ours.map(({ id }) => id))].sort();
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

/** The waves of what is wanted now, then those of what is left from before: what goes first is last. */
function joinWaves(
  prepared: Prepared,
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
 * The objects in the order of applying: those of one wave side by side, each after all that it needs. Waves of one stage
 * come one after the other.
 */
export function wavesOf({ objects }: Pick<Prepared, "objects">): readonly (readonly ObjectId[])[] {
  const levels = new Map<ObjectId, number>();
  const waves = new Map<string, ObjectId[]>();
  for (const { id, stage, needs } of objects) {
    const level = needs.reduce((highest, need) => Math.max(highest, (levels.get(need) ?? -1) + 1), 0);
    levels.set(id, level);
    waves.getOrInsertComputed(`${stage} ${String(level).padStart(6, "0")}`, () => []).push(id);
  }
  return [...waves].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ids]) => ids);
}
