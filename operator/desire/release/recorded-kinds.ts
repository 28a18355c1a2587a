import type { KubernetesObject } from "../../../crds/object.ts";
import { kindIn, type ObjectKindId } from "../../../synth/manifest.ts";
import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";

/** The state of the kinds of a Release's current and earlier objects. */
export interface RecordedKinds {
  /** Whether all objects that the Release owns are in the local copies, except for kinds that may not be watched. */
  readonly areKnown: boolean;
  /** Why objects of some kinds cannot be watched, for users. */
  readonly refusals: readonly string[];
  /** The kinds that cannot be watched. */
  readonly unseen: ReadonlySet<ObjectKindId>;
}

/**
 * Watches every kind of a Release's recorded objects. After a restart, only the record identifies them. The key is requeued
 * when a kind becomes known.
 */
export function watchRecorded(
  { key, resource }: { readonly key: string; readonly resource: Pick<KubernetesObject, "metadata"> },
  { catalog, stores }: { readonly catalog: KindCatalog; readonly stores: FoundStores },
): RecordedKinds {
  const refusals: string[] = [];
  const unseen = new Set<ObjectKindId>();
  let areKnown = true;
  for (const groupKind of new Set([...recordedIdsOf(resource)].map(kindIn))) {
    const [group = "", name = ""] = groupKind.split("/");
    const answer = catalog.askGroupKind(group, name, key);
    // If a kind no longer exists, its objects have been deleted with it.
    if (answer.state === "absent") continue;
    if (answer.state !== "known") {
      areKnown = false;
      if (answer.state === "unavailable") refusals.push(answer.message);
      continue;
    }
    const { hasSynced, refusal } = stores.watch(answer.kind, key);
    if (refusal !== undefined) {
      refusals.push(refusal);
      unseen.add(groupKind);
    } else if (!hasSynced) areKnown = false;
  }
  return { areKnown, refusals, unseen };
}
