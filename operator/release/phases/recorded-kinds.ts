import type { KubernetesObject } from "../../../crds/object.ts";
import type { ReleaseStatus } from "../../../crds/release.ts";
import { kindIn } from "../../../synth/manifest.ts";
import { type GroupKind, readApplySet } from "../core/apply-set.ts";
import type { KindCatalog, ReleaseStores } from "../ports.ts";

type RecordingRelease = Pick<KubernetesObject, "metadata"> & { readonly status?: unknown };

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
  { key, resource }: { readonly key: string; readonly resource: RecordingRelease },
  { catalog, stores }: { readonly catalog: KindCatalog; readonly stores: ReleaseStores },
): RecordedKinds {
  const refusals: string[] = [];
  let areKnown = true;
  for (const { group, kind: name } of kindsOf(resource)) {
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

/** Where somebody replaced a Release and its annotations with it, what its status says is the next best. */
function kindsOf(resource: RecordingRelease): readonly GroupKind[] {
  const { groupKinds } = readApplySet(resource);
  if (groupKinds.length > 0) return groupKinds;
  const { inventory } = (resource.status ?? {}) as Partial<ReleaseStatus>;
  const kinds = new Set(inventory?.entries.map(kindIn));
  return [...kinds].map((text) => {
    const [group = "", kind = ""] = text.split("/");
    return { group, kind };
  });
}
