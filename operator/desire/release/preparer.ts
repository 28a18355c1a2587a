import type { ObjectKind } from "../../../crds/object.ts";
import { toCanonicalJson } from "../../../synth/digest.ts";
import type { KindCatalog } from "../../cluster/found-kinds/ports.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { Rendered } from "../../render/ports.ts";
import { type PreparableRelease, prepareManifests } from "./prepare-manifests.ts";

/** {@link prepareManifests} with a cache. Returns the identical result while its inputs are the same. */
export interface Preparer {
  (
    rendered: Rendered,
    release: PreparableRelease & { readonly metadata: { readonly uid: string } },
    kinds: Pick<KindCatalog, "find">,
  ): DesiredSet;
  /** Removes the cached result of a deleted Release. */
  forget(uid: string): void;
}

interface Memory {
  readonly rendered: Rendered;
  readonly target: string;
  /** Kinds from the catalog, by index of the manifest. */
  readonly kinds: readonly (ObjectKind | undefined)[];
  readonly prepared: DesiredSet;
}

export interface CreatePreparerOptions {
  /** Maximum number of cached results, one per Release; the least recently used one is removed first. Default: 2000. */
  readonly capacity?: number;
}

/** A preparer that caches one result per Release. Rejected manifests are not cached. */
export function createPreparer({ capacity = 2_000 }: CreatePreparerOptions = {}): Preparer {
  const memories = new Map<string, Memory>();
  const prepare = (...[rendered, release, catalog]: Parameters<Preparer>): DesiredSet => {
    const { uid } = release.metadata;
    const target = toCanonicalJson(release.spec.target);
    const kinds = rendered.manifests.map(({ apiVersion, kind }) => catalog.find(apiVersion, kind));
    const memory = memories.get(uid);
    const isCurrent =
      memory?.rendered === rendered &&
      memory.target === target &&
      memory.kinds.every((kind, index) => kind === kinds[index]);
    const prepared = isCurrent ? memory.prepared : prepareManifests(rendered, release, catalog);
    // Remove and add the entry: a Map iterates in insertion order, so the first key is the least recently used one.
    memories.delete(uid);
    memories.set(uid, { rendered, target, kinds, prepared });
    if (memories.size > capacity) memories.delete(memories.keys().next().value ?? uid);
    return prepared;
  };
  return Object.assign(prepare, { forget: (uid: string) => void memories.delete(uid) });
}
