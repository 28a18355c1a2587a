import type { CustomResource, ObjectKind } from "../../crds/object.ts";
import { idOf } from "../../synth/manifest.ts";
import { ReplacedError } from "../errors.ts";
import type { Cluster } from "../ports.ts";

/**
 * Confirms with one read that the resource still exists with the same uid. Garbage collection deletes the objects of a
 * deleted resource, and their watch may report that before the watch of the resource: then a Job would be recreated and run
 * again. Also, an object that seems to belong to an earlier resource of the name may belong to a later one.
 *
 * @throws ReplacedError if it is not.
 */
export async function confirmWanted(
  resource: CustomResource,
  { kind, cluster }: { readonly kind: ObjectKind; readonly cluster: Pick<Cluster, "read"> },
): Promise<void> {
  const { name, namespace, uid } = resource.metadata;
  const now = await cluster.read({ kind, namespace, name });
  const isWanted = now?.metadata.uid === uid && now.metadata.deletionTimestamp === undefined;
  if (!isWanted) throw new ReplacedError(idOf(resource));
}
