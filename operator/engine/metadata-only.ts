import type { LiveObject, ObjectMeta, OwnerReference } from "../../crds/object.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import { findDrift } from "./covers.ts";
import { builtInShapeOf } from "./kind-shapes.ts";

// For objects that are created once: later, only labels, annotations and owner references are changed.

/** Annotations that describe the content with which an object was created. */
const contentStamps: ReadonlySet<string> = new Set([stamps.digest, stamps.generation, stamps.template]);

/** The manifest without its content. Pure. */
export function metadataOnly({ apiVersion, kind, metadata }: Manifest): Manifest {
  const { name, namespace, labels = {}, annotations = {}, ownerReferences } = metadata;
  const identifying = Object.entries(annotations).filter(([key]) => !contentStamps.has(key));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels,
      annotations: Object.fromEntries(identifying),
      ...(ownerReferences && { ownerReferences }),
    },
  };
}

/**
 * The merge patch that sets this metadata in a live object. An apply would remove the content, because our field manager
 * owns it. Pure.
 */
export function metadataPatch(manifest: Manifest, live: LiveObject): Partial<ObjectMeta> {
  const { uid, resourceVersion } = live.metadata;
  const { labels = {}, annotations = {} } = manifest.metadata;
  const ownerReferences = missingReferences(manifest, live);
  if (ownerReferences === undefined) return { uid, labels, annotations };
  // A merge patch replaces the whole list. The resourceVersion prevents that references of other clients are lost.
  return { uid, resourceVersion, labels, annotations, ownerReferences };
}

/** The live object with this metadata. Pure. */
export function withMetadata(manifest: Manifest, live: LiveObject): LiveObject {
  const ownerReferences = missingReferences(manifest, live);
  const metadata = {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...manifest.metadata.labels },
    annotations: { ...live.metadata.annotations, ...manifest.metadata.annotations },
    ...(ownerReferences && { ownerReferences }),
  };
  return { ...live, metadata };
}

/** All owner references that the object should have; undefined: it has them already. */
function missingReferences(manifest: Manifest, live: LiveObject): readonly OwnerReference[] | undefined {
  const { name, ownerReferences: wanted = [] } = manifest.metadata;
  const there = live.metadata.ownerReferences ?? [];
  const references = { ...manifest, metadata: { name, ownerReferences: wanted } };
  if (findDrift(references, live, builtInShapeOf) === undefined) return undefined;
  const uids = new Set(wanted.map(({ uid }) => uid));
  return [...there.filter(({ uid }) => !uids.has(uid)), ...wanted];
}
