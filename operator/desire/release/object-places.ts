import { keyOf, type LiveObject } from "../../../crds/object.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import type { DesiredObject } from "../../engine/desired-set.ts";

export interface ObserveInput {
  readonly release: { readonly key: string };
  /** Existing objects that a read found when the operator tried to create them. */
  readonly claimed: ReadonlyMap<ObjectId, LiveObject>;
}

export interface ObserveOptions {
  readonly stores: FoundStores;
  /** A namespace of the cluster, if the operator may watch namespaces. */
  readonly namespaceOf: (name: string) => LiveObject | undefined;
}

/** The live object of a desired one: from the local copies, from a read of this run, or a namespace of another client. */
export function observe(
  { release: { key }, claimed }: ObserveInput,
  { stores, namespaceOf }: ObserveOptions,
): (object: DesiredObject) => LiveObject | undefined {
  return ({ id, kind, manifest, isEnsured }) =>
    (kind && stores.watch(kind, key).store.get(keyOf(manifest))) ??
    claimed.get(id) ??
    (isEnsured ? namespaceOf(manifest.metadata.name) : undefined);
}
