import type { ReleaseSpec } from "../../../crds/release.ts";
import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import type { PruneDecision } from "../../engine/decide-prune.ts";
import { deleteAll, isHeld } from "../../engine/finalize.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { PruneWaveOptions } from "../../engine/prune-surplus.ts";
import type { Clock, Cluster, ObjectStore } from "../../ports.ts";
import { describeUnrecorded, hasUnrecordedMembers } from "./apply-set.ts";
import type { LoadedRelease } from "./load-release.ts";
import { releaseHold } from "./record-set.ts";
import { watchRecorded } from "./recorded-kinds.ts";
import { lateMsOf } from "./take-inventory.ts";

export interface FinalizeReleaseOptions extends Omit<PruneWaveOptions, "cluster" | "storeOf"> {
  /** Uses the permissions of the Release: for its objects. */
  readonly acting: Cluster;
  readonly stores: FoundStores;
  /** Uses the operator's own permissions: for the Release itself. */
  readonly cluster: Cluster;
  readonly releases: ObjectStore;
  readonly catalog: KindCatalog;
  readonly clock: Clock;
  /** Time, in milliseconds, during which a request of the previous operator may still be executed. */
  readonly predecessorMs: () => number;
  /** Whether its objects may be deleted. False if it has no ServiceAccount although one is required. */
  readonly mayDelete: boolean;
  /** Called before the finalizer of the Release is removed, to remove its folder on the branch too. */
  readonly onLeft: () => void;
}

/** The remaining work before the finalizer of a deleted Release is removed. */
export interface Leaving {
  /** Undefined: its objects are not known yet. */
  readonly decision: PruneDecision | undefined;
  /** Why the operator cannot watch some of its objects, and so cannot delete them. */
  readonly unseen: readonly string[];
  /** No known object is left. Check again after this many milliseconds. */
  readonly againAfterMs?: number;
  /** The Release has no ServiceAccount, which is required for the deletion of its objects. */
  readonly lacksAccount?: true;
}

/**
 * Deletes the recorded objects of a Release, then removes its finalizer. Neither git nor a render is needed. Objects that were
 * applied last are deleted first, and each wave waits for the one before.
 *
 * With `deletionPolicy: Orphan`, the objects are not changed and keep their labels. A new Release of the same name takes
 * them over.
 *
 * @returns The remaining work; undefined: none.
 */
export async function finalizeRelease(
  release: LoadedRelease,
  options: FinalizeReleaseOptions,
): Promise<Leaving | undefined> {
  const { resource } = release;
  if (!isHeld(resource)) return undefined;
  // Use the policy even if the spec is invalid, because the user who deletes the Release may not be able to fix it.
  const { deletionPolicy } = (resource.spec ?? {}) as Partial<ReleaseSpec>;
  const leaving = deletionPolicy === "Orphan" ? undefined : await deleteObjects(release, options);
  if (leaving !== undefined) return leaving;
  // An object that a request without a response creates after this check would be orphaned.
  const againAfterMs = deletionPolicy === "Orphan" ? 0 : lateMsOf(release.memory.objects, options);
  if (againAfterMs > 0 && recordedIdsOf(resource).size > 0)
    return { decision: undefined, unseen: [], againAfterMs };
  options.onLeft();
  await releaseHold(release, options);
  return undefined;
}

async function deleteObjects(
  release: LoadedRelease,
  options: FinalizeReleaseOptions,
): Promise<Leaving | undefined> {
  const { resource, set } = release;
  const { stores, mayDelete, acting } = options;
  const { areKnown, refusals } = watchRecorded(release, options);
  const unseen = hasUnrecordedMembers(resource) ? [...refusals, describeUnrecorded(set)] : refusals;
  if (!areKnown) return { decision: undefined, unseen };
  const decision = await deleteAll(
    { resource, set, waves: resource.status?.inventory?.waves },
    () => stores.owned(set, recordedIdsOf(resource)),
    { ...options, cluster: acting, storeOf: (kind) => stores.watch(kind).store },
  );
  const { now, later, leaving } = decision;
  if (now.length > 0 && !mayDelete) return { decision, unseen, lacksAccount: true };
  const isOver = now.length + later.length + leaving.length + unseen.length === 0;
  return isOver ? undefined : { decision, unseen };
}
