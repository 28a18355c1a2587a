import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { AtVersion, Cluster, ObjectStore } from "../ports.ts";

export interface WriteStatusOptions {
  readonly kind: ObjectKind;
  readonly cluster: Pick<Cluster, "patchStatus">;
  /** The local copies of the resources. */
  readonly resources: Pick<ObjectStore, "written">;
  /** The resourceVersion that the write may replace. Default: any. */
  readonly at?: AtVersion | undefined;
}

/**
 * Sends a merge patch of a resource's status, and stores the response in the local copies.
 *
 * @returns The resource with its new status. Undefined: it was deleted.
 */
export async function writeStatus(
  { metadata }: Pick<LiveObject, "metadata">,
  patch: object,
  { kind, cluster, resources, at }: WriteStatusOptions,
): Promise<LiveObject | undefined> {
  const { name, namespace, uid } = metadata;
  const live = await cluster.patchStatus({ kind, namespace, name }, uid, patch, at);
  if (live !== undefined) resources.written(live);
  return live;
}
