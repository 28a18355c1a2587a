import type { KubernetesObject } from "../../../crds/object.ts";
import { type ApplySetRecord, readApplySet } from "../core/apply-set.ts";
import type { KindCatalog, ReleaseStores } from "../ports.ts";

/** How the kinds stand of which a Release has, or had, objects. */
export interface RecordedKinds {
  /** Whether everything that the Release owns is in the local copies, apart from kinds that may not be watched. */
  readonly areKnown: boolean;
  /** Why objects of some kinds are not seen, for people. */
  readonly refusals: readonly string[];
}

/**
 * Sees to it that every kind is watched that a Release has recorded: after a restart nothing else says where its objects
 * are. The key is put back when a kind gets known.
 */
export function watchRecorded(
  { key, resource }: { readonly key: string; readonly resource: Pick<KubernetesObject, "metadata"> },
  { catalog, stores }: { readonly catalog: KindCatalog; readonly stores: ReleaseStores },
  record: ApplySetRecord = readApplySet(resource),
): RecordedKinds {
  const refusals: string[] = [];
  let areKnown = true;
  for (const { group, kind: name } of record.groupKinds) {
    const answer = catalog.askGroupKind(group, name, key);
    // A kind that the cluster does not have any more has taken its objects with it.
    if (answer.state === "absent") continue;
    if (answer.state !== "known") {
      areKnown = false;
      if (answer.state === "unavailable") refusals.push(answer.message);
      continue;
    }
    const { hasSynced, refusal } = stores.watch(answer.kind, key);
    if (refusal !== undefined) refusals.push(refusal);
    else if (!hasSynced) areKnown = false;
  }
  return { areKnown, refusals };
}
