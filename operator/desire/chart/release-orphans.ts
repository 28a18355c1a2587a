import type { BoundKind } from "../../../crds/binding.ts";
import type { ObjectMeta } from "../../../crds/object.ts";
import { idOf } from "../../../synth/manifest.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { releaseRuns } from "../../engine/release-runs.ts";
import type { Cluster, Stores } from "../../ports.ts";
import { protectedIn } from "./protected-runs.ts";

export interface ReleaseOrphansOptions {
  readonly kind: BoundKind;
  readonly cluster: Pick<Cluster, "read" | "patchMetadata">;
  readonly stores: Stores;
}

/**
 * Releases the runs of a resource that no longer exists, so that garbage collection can delete them. Their outcome is not
 * recorded.
 *
 * @param key Key of the resource.
 */
export async function releaseOrphans(
  key: string,
  { kind, cluster, stores }: ReleaseOrphansOptions,
): Promise<void> {
  const { definition, children } = kind;
  const metadata = namedBy(key);
  const set = setOf(definition, { metadata });
  const owned = children.flatMap((child) => {
    const objects = stores.children(child).byIndex("set", set);
    return objects.map((live): OwnedObject => ({ id: idOf(live), kind: child, live }));
  });
  const orphans = protectedIn({ owned });
  if (orphans.length === 0) return;
  // The watch may report the objects of a new resource before the resource itself.
  const { name, namespace } = metadata;
  if ((await cluster.read({ kind: definition, namespace, name })) !== undefined) return;
  await releaseRuns(orphans, { cluster, storeOf: (child) => stores.children(child) });
}

function namedBy(key: string): Pick<ObjectMeta, "name" | "namespace"> {
  const slash = key.indexOf("/");
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
