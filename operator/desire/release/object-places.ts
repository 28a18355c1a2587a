import { keyOf, type LiveObject } from "../../../crds/object.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import type { DesiredObject } from "../../engine/desired-set.ts";

export interface ObserveInput {
  readonly release: { readonly key: string };
  /** Objects that a read found where the operator wanted to create its own. */
  readonly claimed: ReadonlyMap<ObjectId, LiveObject>;
}

export interface ObserveOptions {
  readonly stores: FoundStores;
  /** A namespace of the cluster, if the operator may see it. */
  readonly namespaceOf: (name: string) => LiveObject | undefined;
}

/** The live object of a desired one: from the local copies, read in this run, or a namespace that others created. */
export function observe(
  { release: { key }, claimed }: ObserveInput,
  { stores, namespaceOf }: ObserveOptions,
): (object: DesiredObject) => LiveObject | undefined {
  return ({ id, kind, manifest, isEnsured }) =>
    (kind && stores.watch(kind, key).store.get(keyOf(manifest))) ??
    claimed.get(id) ??
    (isEnsured ? namespaceOf(manifest.metadata.name) : undefined);
}
