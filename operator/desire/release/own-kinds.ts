import { groupOf } from "../../../crds/object.ts";
import { idOf, type Manifest, type ObjectId } from "../../../synth/manifest.ts";

/** A kind that a CustomResourceDefinition of the same Release defines. */
export interface OwnKind {
  /** Id of the definition. */
  readonly definition: ObjectId;
  readonly namespaced: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The kinds that CRDs among these manifests define, by `group/Kind`. Objects of these kinds wait for the CRD. Pure.
 */
export function ownKindsOf(manifests: readonly Manifest[]): ReadonlyMap<string, OwnKind> {
  const kinds = new Map<string, OwnKind>();
  for (const manifest of manifests) {
    if (manifest.kind !== "CustomResourceDefinition") continue;
    if (groupOf(manifest.apiVersion) !== "apiextensions.k8s.io") continue;
    const spec = (manifest["spec"] ?? {}) as Fields;
    const names = (spec["names"] ?? {}) as Fields;
    const namespaced = spec["scope"] !== "Cluster";
    // A CRD has no namespace. Ignore one in the manifest.
    const definition = idOf({ ...manifest, metadata: { name: manifest.metadata.name } });
    kinds.set(`${String(spec["group"])}/${String(names["kind"])}`, { definition, namespaced });
  }
  return kinds;
}
