import type { KubernetesObject } from "../../../crds/object.ts";
import { kindIn, type ObjectKindId } from "../../../synth/manifest.ts";
import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import { recordedIdsOf } from "../../engine/inventory.ts";

/** The state of the kinds of which a Release has, or had, objects. */
export interface RecordedKinds {
  /** Whether everything that the Release owns is in the local copies, apart from kinds that may not be watched. */
  readonly areKnown: boolean;
  /** Why objects of some kinds are not visible, for users. */
  readonly refusals: readonly string[];
  /** The kinds of these objects. */
  readonly unseen: ReadonlySet<ObjectKindId>;
}

/**
 * Watches every kind of which a Release has recorded objects: after a restart nothing else identifies them. The key is
 * requeued when a kind becomes known.
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
    // The objects of a kind are deleted with it.
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
