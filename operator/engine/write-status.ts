import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { AtVersion, Cluster, ObjectStore } from "../ports.ts";

export interface WriteStatusOptions {
  readonly kind: ObjectKind;
  readonly cluster: Pick<Cluster, "patchStatus">;
  /** The local copies of the resources. */
  readonly resources: Pick<ObjectStore, "written">;
  /** The version that it may replace. Default: any. */
  readonly at?: AtVersion | undefined;
}

/**
 * Sends a merge patch of the status of a resource, and keeps the answer in the local copies.
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
