import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { AtVersion, Cluster, ObjectStore } from "../ports.ts";
import { type DeletionInput, decideDeletion, type PruneDecision } from "./decide-prune.ts";
import type { OwnedObject } from "./desired-set.ts";
import { type PruneWaveOptions, pruneWave } from "./prune-surplus.ts";

/**
 * Finalizer that blocks the deletion of a resource until the operator has deleted those of its objects that garbage
 * collection does not delete.
 */
export const FINALIZER = "fairlead.dev/objects";

/** Whether our finalizer blocks the deletion of a resource. Pure. */
export function isHeld({ metadata }: Pick<LiveObject, "metadata">): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

export interface PatchMetadataOptions {
  readonly kind: ObjectKind;
  readonly cluster: Pick<Cluster, "patchMetadata">;
  /** The local copies of the resources. */
  readonly resources: Pick<ObjectStore, "written">;
}

/**
 * Adds our finalizer to a resource, and this metadata with it.
 *
 * @returns The updated resource. Undefined: it was deleted.
 * @throws ReplacedError if it was changed since it was read.
 */
export async function hold(
  resource: LiveObject,
  options: PatchMetadataOptions,
  metadata: object = {},
): Promise<LiveObject | undefined> {
  const finalizers = resource.metadata.finalizers ?? [];
  const change = isHeld(resource) ? metadata : { ...metadata, finalizers: [...finalizers, FINALIZER] };
  return await patchMetadata(resource, change, options);
}

/** Removes our finalizer from a resource, so that it is deleted. The same result and errors as {@link hold}. */
export async function release(
  resource: LiveObject,
  options: PatchMetadataOptions,
): Promise<LiveObject | undefined> {
  const finalizers = (resource.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  return await patchMetadata(resource, { finalizers }, options);
}

async function patchMetadata(
  resource: LiveObject,
  change: object,
  { kind, cluster, resources }: PatchMetadataOptions,
): Promise<LiveObject | undefined> {
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  const at: AtVersion = { resourceVersion };
  // The resourceVersion protects finalizers that other clients add or remove at the same time.
  const live = await cluster.patchMetadata({ kind, namespace, name }, { uid, ...at, ...change });
  if (live !== undefined) resources.written(live);
  return live;
}

export interface DeleteAllOptions extends PruneWaveOptions {
  /** False: no object is deleted, for example because the resource's account does not exist. */
  readonly mayDelete: boolean;
}

/**
 * Deletes all objects that a resource owns, in waves: those that were applied last are deleted first, and each wave waits
 * for the one before.
 *
 * @param owned Reads the objects that the resource owns now. Called for each wave.
 * @returns The remaining objects. Their events requeue the resource.
 */
export async function deleteAll(
  input: Omit<DeletionInput, "owned">,
  owned: () => readonly OwnedObject[],
  options: DeleteAllOptions,
): Promise<PruneDecision> {
  for (;;) {
    const decision = decideDeletion({ ...input, owned: owned() });
    const { now } = decision;
    if (now.length === 0 || !options.mayDelete || !(await pruneWave(now, options))) return decision;
  }
}
