import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import type { Cluster, ObjectStore, Propagation } from "../ports.ts";
import type { OwnedObject } from "./desired-set.ts";
import { findCondition } from "./health/health-fields.ts";
import type { LostObjects } from "./lost.ts";

export interface PruneOptions {
  readonly cluster: Pick<Cluster, "delete">;
  /** The local copy of the objects of a kind. */
  readonly storeOf: (kind: ObjectKind) => ObjectStore;
  readonly lost: LostObjects;
  /** Whether objects with the same names are created next. Default: false. */
  readonly isReplaced?: boolean;
  /** Whether to delete only objects that have not changed since they were observed. Default: false. */
  readonly isUnchanged?: boolean;
}

/**
 * Deletes objects that are owned and no longer desired, one after the other. Call it only after every apply has succeeded:
 * an object that failed to apply must not be mistaken for one that is no longer desired.
 *
 * It does not wait for the end of an accepted deletion, because events report it.
 */
export async function prune(
  objects: readonly Omit<OwnedObject, "id">[],
  { cluster, storeOf, lost, isReplaced = false, isUnchanged = false }: PruneOptions,
): Promise<void> {
  for (const { kind, live } of objects) {
    const { name, namespace, uid, resourceVersion } = live.metadata;
    lost.expect(live);
    let left: LiveObject | undefined;
    try {
      // Always set the policy: the default for a Job would orphan its pods.
      const propagation = isReplaced ? propagationOfReplaced(live) : "Background";
      // The uid protects an object that was recreated with the same name since it was observed.
      const guard = { uid, ...(isUnchanged && { resourceVersion }) };
      left = await cluster.delete({ kind, namespace, name }, { ...guard, propagation });
    } catch (error) {
      lost.unexpect(live);
      throw error;
    }
    const store = storeOf(kind);
    if (left !== undefined) store.written(left);
    else if ((live.metadata.finalizers ?? []).length === 0) store.removed(keyOf(live), uid);
  }
}

/**
 * The propagation policy for an object that is recreated immediately. Pure.
 *
 * A Job that has not ended must exist until its pods are deleted. Otherwise both Jobs would run for a while. Also, the Job
 * controller counts by name the pods that it has created and not observed yet, so it could wait for a pod of the old Job
 * before it creates pods of the new one (seen with Kubernetes 1.37: no pod was created for 7 minutes).
 */
export function propagationOfReplaced(live: LiveObject): Propagation {
  const isJob = live.kind === "Job" && live.apiVersion.startsWith("batch/");
  const hasEnded = ["Complete", "Failed"].some((type) => findCondition(live, type)?.status === "True");
  return isJob && !hasEnded ? "Foreground" : "Background";
}
