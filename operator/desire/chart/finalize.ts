import type { BoundKind } from "../../../crds/binding.ts";
import type { CustomResource, LiveObject } from "../../../crds/object.ts";
import { type ManifestSet, stamps } from "../../../synth/manifest.ts";
import type { LostObjects } from "../../engine/lost.ts";
import { prune } from "../../engine/prune.ts";
import type { Cluster, ObjectRef, Stores } from "../../ports.ts";
import { actingFor } from "./acting.ts";
import type { Loaded } from "./load.ts";

/** Holds a resource's deletion until objects are gone that garbage collection cannot reach. */
export const FINALIZER = "fairlead.dev/objects";

interface FinalizeOptions {
  readonly kind: BoundKind;
  readonly cluster: Cluster;
  readonly stores: Stores;
  readonly lost: LostObjects;
}

/** Whether nothing may be made for a resource any more: it, or its namespace, is being deleted. */
export function isLeaving({ metadata }: CustomResource, stores: Stores): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  return metadata.namespace !== undefined && stores.isTerminating(metadata.namespace);
}

/**
 * Puts our finalizer on a resource before it gets an object that garbage collection cannot reach, and only then.
 *
 * @returns The resource, if it was changed.
 */
export async function holdDeletion(
  { resource }: Loaded,
  { manifests }: Pick<ManifestSet, "manifests">,
  options: FinalizeOptions,
): Promise<LiveObject | undefined> {
  const needed = manifests.some(({ metadata }) => metadata.annotations?.[stamps.owner] !== undefined);
  const finalizers = resource.metadata.finalizers ?? [];
  if (!needed || finalizers.includes(FINALIZER)) return undefined;
  return await patchFinalizers(resource, [...finalizers, FINALIZER], options);
}

/**
 * What a resource on its way out needs: mostly nothing, because garbage collection takes its objects. Where our
 * finalizer holds it, its objects are deleted, and the finalizer goes when the last one is gone.
 */
export async function finalize({ resource, owned }: Loaded, options: FinalizeOptions): Promise<void> {
  const finalizers = resource.metadata.finalizers ?? [];
  if (resource.metadata.deletionTimestamp === undefined || !finalizers.includes(FINALIZER)) return;
  const { stores, lost } = options;
  const { acting: cluster, refusal } = actingFor(resource, options);
  if (refusal !== undefined) throw refusal;
  const mine = owned.filter(({ live }) => live.ours);
  const going = mine.filter(({ live }) => live.metadata.deletionTimestamp === undefined);
  await prune(going, { cluster, storeOf: (kind) => stores.children(kind), lost });
  // An object with finalizers of its own is still in the store: the event of its end brings us here again.
  const isLeft = mine.some(({ live }) => (live.metadata.finalizers ?? []).length > 0);
  if (!isLeft) {
    const others = finalizers.filter((name) => name !== FINALIZER);
    await patchFinalizers(resource, others, options);
  }
}

async function patchFinalizers(
  resource: CustomResource,
  finalizers: readonly string[],
  { kind, cluster, stores }: FinalizeOptions,
): Promise<LiveObject | undefined> {
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  const ref: ObjectRef = { kind: kind.definition, namespace, name };
  // The resourceVersion guards finalizers that somebody else adds or removes at the same time.
  const live = await cluster.patchMetadata(ref, { uid, resourceVersion, finalizers });
  if (live !== undefined) stores.resources(kind.definition).written(live);
  return live;
}
