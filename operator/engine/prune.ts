import type { BoundKind } from "../../crds/binding.ts";
import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Cluster, Stores } from "../ports.ts";
import { childKindOf } from "./apply.ts";
import type { LostObjects } from "./lost.ts";
import { propagationOfReplaced } from "./propagation.ts";

export interface PruneOptions {
  readonly kind: Pick<BoundKind, "children">;
  readonly cluster: Pick<Cluster, "delete">;
  readonly stores: Pick<Stores, "children">;
  readonly lost: LostObjects;
  /** Others of the same names come next. Default: nothing does. */
  readonly isReplaced?: boolean;
  /** Only those that nobody has changed since we saw them. Default: all. */
  readonly isUnchanged?: boolean;
}

/**
 * Deletes objects that the resource owns and no longer wants, one after the other. Call it only after every apply
 * succeeded: an object that failed to apply must not be taken for one that is no longer wanted.
 *
 * A deletion that the server accepted is over for us: what is left of the object, its events tell.
 */
export async function prune(
  objects: readonly LiveObject[],
  { kind, cluster, stores, lost, isReplaced = false, isUnchanged = false }: PruneOptions,
): Promise<void> {
  for (const live of objects) {
    const child = childKindOf(live, kind);
    const { name, namespace, uid, resourceVersion } = live.metadata;
    lost.expect(live);
    let left: LiveObject | undefined;
    try {
      // Always said: a Job's own default would orphan its pods.
      const propagation = isReplaced ? propagationOfReplaced(live) : "Background";
      // The uid spares an object that was made anew under the same name since we saw it.
      const guard = { uid, ...(isUnchanged && { resourceVersion }) };
      left = await cluster.delete({ kind: child, namespace, name }, { ...guard, propagation });
    } catch (error) {
      lost.unexpect(live);
      throw error;
    }
    const store = stores.children(child);
    if (left !== undefined) store.written(left);
    else if ((live.metadata.finalizers ?? []).length === 0) store.removed(keyOf(live), uid);
  }
}
