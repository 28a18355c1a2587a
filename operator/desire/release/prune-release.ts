import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { releaseAnnotations } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { ObjectAction } from "../../engine/apply-result.ts";
import { decidePrune, type PruneDecision } from "../../engine/decide-prune.ts";
import type { DesiredObject, OwnedObject } from "../../engine/desired-set.ts";
import type { LostObjects } from "../../engine/lost.ts";
import type { Change } from "../../engine/note-result.ts";
import { prune } from "../../engine/prune.ts";
import { atATime, settleAll } from "../../engine/settle-all.ts";
import type { LoadedRelease } from "./load-release.ts";
import { placesOf } from "./object-places.ts";
import type { ReleaseCluster, ReleaseStores } from "./ports.ts";

import type { Desired } from "./release-memory.ts";

export interface PruneReleaseInput {
  readonly release: LoadedRelease;
  readonly desired: Desired;
  /** What the Release has recorded. */
  readonly recorded: ReadonlySet<ObjectId>;
  readonly observed: (object: DesiredObject) => LiveObject | undefined;
  /** What was deleted is added. */
  readonly changes: Change[];
}

export interface PruneReleaseOptions {
  readonly acting: ReleaseCluster;
  readonly stores: ReleaseStores;
  readonly lost: LostObjects;
  readonly count: (did: ObjectAction, objects: number) => void;
}

/** Deletes what is owned and no longer desired, as far as its turn has come. Call it only after everything was applied. */
export async function pruneRelease(
  { release, desired, recorded, observed, changes }: PruneReleaseInput,
  options: PruneReleaseOptions,
): Promise<PruneDecision> {
  const { resource, set } = release;
  const { stores } = options;
  const { annotations } = resource.metadata;
  for (;;) {
    const decision = decidePrune({
      resource,
      set,
      owned: stores.owned(set, recorded),
      prepared: desired.prepared,
      observed,
      isOn: resource.spec.prune,
      deployed: resource.status?.inventory?.deployed,
      approved: annotations?.[releaseAnnotations.approvePrune],
      commits: [desired.head.id, desired.commit.id],
      waves: resource.status?.inventory?.waves,
    });
    const { now } = decision;
    if (now.length === 0) return decision;
    const areGone = await deleteWave(now, options);
    for (const { live } of now) changes.push({ done: "Pruned", live, why: "no longer in the source" });
    if (!areGone) return decision;
  }
}

/**
 * Deletes objects side by side.
 *
 * @returns Whether all of them are gone: what has finalizers goes later, and its event wakes us.
 * @throws The first failure, after all were tried.
 */
export async function deleteWave(
  objects: readonly OwnedObject[],
  { acting: cluster, stores, lost, count }: PruneReleaseOptions,
): Promise<boolean> {
  const outcomes = await settleAll(objects, atATime, ({ kind, live }) =>
    prune([live], { ...placesOf([kind], stores), cluster, lost }),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  count("pruned", objects.length);
  return objects.every(({ kind, live }) => stores.watch(kind).store.get(keyOf(live)) === undefined);
}
