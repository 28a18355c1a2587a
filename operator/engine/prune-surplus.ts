import { keyOf } from "../../crds/object.ts";
import type { ObjectAction } from "./apply-result.ts";
import { decidePrune, findLeftBehind, type PruneDecision, type PruneInput } from "./decide-prune.ts";
import type { OwnedObject } from "./desired-set.ts";
import type { Change } from "./note-result.ts";
import { type PruneOptions, prune } from "./prune.ts";
import { atATime, settleAll } from "./settle-all.ts";

export interface PruneWaveOptions extends Pick<PruneOptions, "cluster" | "storeOf" | "lost" | "isUnchanged"> {
  readonly count: (did: ObjectAction, objects: number) => void;
  /** Receives each object that is deleted, also if the deletion of another one fails. */
  readonly onPruned?: (object: OwnedObject) => void;
}

export interface PruneSurplusOptions extends Omit<PruneWaveOptions, "onPruned"> {
  /** Receives the deleted objects. */
  readonly changes: Change[];
  /** The reason of the deletion, for events: `no longer in the source`. */
  readonly why: string;
  /** Confirms that the resource still exists. @throws ReplacedError if it does not. */
  readonly confirm: () => Promise<void>;
}

/**
 * Deletes what an earlier resource of the same name left behind, then objects that are owned and no longer desired, one wave
 * after the other. Stops after a wave with an object that is not deleted immediately. Call it only after all objects are applied.
 *
 * @param decideFrom Reads the input of the decision, for each wave.
 */
export async function pruneSurplus(
  decideFrom: () => PruneInput,
  options: PruneSurplusOptions,
): Promise<PruneDecision> {
  const { changes, why } = options;
  await pruneLeftBehind(findLeftBehind(decideFrom()), options);
  const onPruned = ({ live }: OwnedObject): void => void changes.push({ done: "Pruned", live, why });
  for (;;) {
    const decision = decidePrune(decideFrom());
    const { now } = decision;
    if (now.length === 0) return decision;
    if (!(await pruneWave(now, { ...options, onPruned }))) return decision;
  }
}

async function pruneLeftBehind(objects: readonly OwnedObject[], options: PruneSurplusOptions): Promise<void> {
  if (objects.length === 0) return;
  // They may belong to a later resource of the name, which the local copies do not contain yet.
  await options.confirm();
  const why = "left by a deleted resource of the same name";
  const onPruned = ({ live }: OwnedObject): void => void options.changes.push({ done: "Pruned", live, why });
  await pruneWave(objects, { ...options, isUnchanged: true, onPruned });
}

/**
 * Deletes objects concurrently.
 *
 * @returns Whether all of them are deleted: objects with finalizers are deleted later, and their events requeue the
 * resource.
 * @throws The first failure, after all objects were tried.
 */
export async function pruneWave(
  objects: readonly OwnedObject[],
  options: PruneWaveOptions,
): Promise<boolean> {
  const outcomes = await settleAll(objects, atATime, (object) => prune([object], options));
  const pruned = objects.filter((_, index) => outcomes[index]?.status === "fulfilled");
  if (pruned.length > 0) options.count("pruned", pruned.length);
  for (const object of pruned) options.onPruned?.(object);
  const failure = outcomes.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return objects.every(({ kind, live }) => options.storeOf(kind).get(keyOf(live)) === undefined);
}
