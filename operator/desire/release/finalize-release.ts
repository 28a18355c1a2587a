import type { ReleaseSpec } from "../../../crds/release.ts";
import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import type { PruneDecision } from "../../engine/decide-prune.ts";
import { deleteAll, isHeld } from "../../engine/finalize.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";
import type { PruneWaveOptions } from "../../engine/prune-surplus.ts";
import type { Cluster, ObjectStore } from "../../ports.ts";
import { describeUnrecorded, hasUnrecordedMembers } from "./apply-set.ts";
import type { LoadedRelease } from "./load-release.ts";
import { releaseHold } from "./record-set.ts";
import { watchRecorded } from "./recorded-kinds.ts";

export interface FinalizeReleaseOptions extends Omit<PruneWaveOptions, "cluster" | "storeOf"> {
  /** With the permissions of the Release: for its objects. */
  readonly acting: Cluster;
  readonly stores: FoundStores;
  /** With the operator's own permissions: for the Release itself. */
  readonly cluster: Cluster;
  readonly releases: ObjectStore;
  readonly catalog: KindCatalog;
  /** Maximum time, in milliseconds, after which a request of the previous operator may still be executed. */
  readonly predecessorMs: () => number;
  /** Whether objects may be deleted for it: not without a ServiceAccount where one is required. */
  readonly mayDelete: boolean;
  /** The finalizer of the Release is about to be removed: its folder on the branch is removed too. */
  readonly onLeft: () => void;
}

/** Remaining work before the finalizer of a deleted Release is removed. */
export interface Leaving {
  /** Undefined: its objects are not known yet. */
  readonly decision: PruneDecision | undefined;
  /** Why some of its objects cannot be seen, and so not be deleted. */
  readonly unseen: readonly string[];
  /** No known object is left; check again after this many milliseconds. */
  readonly againAfterMs?: number;
  /** It names no ServiceAccount to delete its objects as. */
  readonly lacksAccount?: true;
}

/**
 * Deletes the recorded objects of a Release: neither git nor a render is needed. Those applied last are deleted first,
 * and the next ones wait until these are deleted. Then the finalizer of the Release is removed.
 *
 * With `deletionPolicy: Orphan` the objects stay as they are, labels included: a Release of the same name takes them
 * over.
 *
 * @returns The remaining work; undefined: none.
 */
export async function finalizeRelease(
  release: LoadedRelease,
  options: FinalizeReleaseOptions,
): Promise<Leaving | undefined> {
  const { resource } = release;
  if (!isHeld(resource)) return undefined;
  // Also for an invalid spec: the user who deletes it may not be able to fix it.
  const { deletionPolicy } = (resource.spec ?? {}) as Partial<ReleaseSpec>;
  const leaving = deletionPolicy === "Orphan" ? undefined : await deleteObjects(release, options);
  if (leaving !== undefined) return leaving;
  // A killed operator may have sent creations: an object created after this check would have no owner.
  const againAfterMs = deletionPolicy === "Orphan" ? 0 : options.predecessorMs();
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
