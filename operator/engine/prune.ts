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
  /** Objects of the same names are created next. Default: false. */
  readonly isReplaced?: boolean;
  /** Only objects that did not change since they were observed. Default: all. */
  readonly isUnchanged?: boolean;
}

/**
 * Deletes objects that the resource owns and no longer wants, one after the other. Call it only after every apply
 * succeeded: an object that failed to apply must not be taken for one that is no longer wanted.
 *
 * It does not wait for the end of a deletion that the server accepted: events report it.
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
      // Always set: a Job's own default would orphan its pods.
      const propagation = isReplaced ? propagationOfReplaced(live) : "Background";
      // The uid spares an object that was recreated under the same name since it was observed.
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
 * How an object is deleted that is recreated at once. Pure.
 *
 * A Job that has not ended keeps its name until its pods are gone: otherwise both would run for a while, and the Job
 * controller, which counts by name the pods that it has made and not seen yet, could wait for the old Job's last one
 * before it makes the first of the new one (seen with Kubernetes 1.37: nothing happened for as long as we looked, 7
 * minutes).
 */
export function propagationOfReplaced(live: LiveObject): Propagation {
  const isJob = live.kind === "Job" && live.apiVersion.startsWith("batch/");
  const hasEnded = ["Complete", "Failed"].some((type) => findCondition(live, type)?.status === "True");
  return isJob && !hasEnded ? "Foreground" : "Background";
}
