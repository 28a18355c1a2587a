import type { BoundKind } from "../../../crds/binding.ts";
import { type CustomResource, keyOf, type LiveObject } from "../../../crds/object.ts";
import { type ManifestSet, stamps } from "../../../synth/manifest.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { deleteAll, hold, isHeld, release } from "../../engine/finalize.ts";
import type { PruneWaveOptions } from "../../engine/prune-surplus.ts";
import { type RemoveFieldsOptions, removeFields } from "../../engine/remove-fields.ts";
import type { Cluster, Stores } from "../../ports.ts";
import { actingFor } from "./acting.ts";
import { type Loaded, load } from "./load.ts";
import { removalsOf } from "./removals.ts";

interface FinalizeOptions
  extends Pick<PruneWaveOptions, "lost" | "count">,
    Pick<RemoveFieldsOptions, "onKept"> {
  readonly kind: BoundKind;
  readonly cluster: Cluster;
  readonly stores: Stores;
}

/** Whether no object may be created for a resource, because it or its namespace is being deleted. */
export function isLeaving({ metadata }: CustomResource, stores: Stores): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  return metadata.namespace !== undefined && stores.isTerminating(metadata.namespace);
}

/**
 * Adds our finalizer to a resource before it creates an object, or sets a field, that garbage collection does not remove.
 * Other resources do not get the finalizer.
 *
 * @returns The resource, if it was changed.
 */
export async function holdDeletion(
  { resource }: Loaded,
  { manifests, additions }: Pick<ManifestSet, "manifests" | "additions">,
  { kind, cluster, stores }: Pick<FinalizeOptions, "kind" | "cluster" | "stores">,
): Promise<LiveObject | undefined> {
  const needed =
    manifests.some(({ metadata }) => metadata.annotations?.[stamps.owner] !== undefined) ||
    additions.some(({ fields }) => fields !== undefined);
  if (!needed || isHeld(resource)) return undefined;
  const resources = stores.resources(kind.definition);
  return await hold(resource, { kind: kind.definition, cluster, resources });
}

/**
 * Finalizes a deleted resource. Usually there is nothing to do, because garbage collection deletes its objects. If it has our
 * finalizer, this removes the fields that it has set in other objects, deletes its objects, and removes the finalizer after
 * the last one is deleted.
 *
 * @returns The objects that still block the deletion.
 */
export async function finalize(loaded: Loaded, options: FinalizeOptions): Promise<readonly OwnedObject[]> {
  const { resource, set } = loaded;
  if (resource.metadata.deletionTimestamp === undefined || !isHeld(resource)) return [];
  const { kind, cluster, stores, lost, count, onKept } = options;
  const { acting, refusal } = actingFor(resource, options);
  if (refusal !== undefined) throw refusal;
  await removeFields(removalsOf(resource, [], { kind, stores }), { cluster: acting, stores, onKept });
  let known: Loaded | undefined = loaded;
  const owned = (): Loaded["owned"] => {
    const { owned: objects = [] } = known ?? load(keyOf(resource), kind, stores) ?? {};
    known = undefined;
    return objects;
  };
  const { now, later, leaving } = await deleteAll({ resource, set, isReferenced: true }, owned, {
    cluster: acting,
    storeOf: (child) => stores.children(child),
    lost,
    count,
    mayDelete: true,
  });
  // Their deletion events requeue the resource.
  const left = [...leaving, ...now, ...later];
  if (left.length > 0) return left;
  const resources = stores.resources(kind.definition);
  await release(resource, { kind: kind.definition, cluster, resources });
  return [];
}
