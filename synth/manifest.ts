import { groupOf, type KubernetesObject, type ObjectKind } from "../crds/object.ts";

/** One desired object: plain JSON, without status and other fields that the server sets. */
export type Manifest = KubernetesObject;

/** Identifies one object in one cluster in any version: `group/Kind/namespace/name`. */
export type ObjectId = string;

/** The id of an object; group and namespace may be empty. */
export function idOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectId {
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Identifies the kind of an object in one cluster in any version: `group/Kind`. */
export type ObjectKindId = string;

/** The kind in an id. */
export function kindIn(id: ObjectId): ObjectKindId {
  return id.split("/", 2).join("/");
}

/** Labels and annotations that the operator adds to applied objects, besides the chart's own. */
export const stamps = {
  /** Label: id of the set of objects of one resource, computed as in the ApplySet specification. */
  set: "fairlead.dev/set",
  /** Additional label on objects of a Release: the same id, under the name that kubectl and other ApplySet tools use. */
  partOf: "applyset.kubernetes.io/part-of",
  /** Annotation: digest of the manifest without stamps. */
  digest: "fairlead.dev/digest",
  /** Annotation on kinds that are replaced, not edited (Job): the resource's generation for which it was created. */
  generation: "fairlead.dev/generation",
  /** Additional annotation: digest of the immutable fields, as the chart last set them. Set by the plan. */
  template: "fairlead.dev/template",
  /** Annotation on objects that garbage collection cannot reach: `<plural>.<group>/<key>` of their resource. */
  owner: "fairlead.dev/owner",
  /** Annotation that a user sets on a foreign object to hand it over: `<kind>/<namespace>/<name>`. */
  adoptBy: "fairlead.dev/adopt-by",
} as const;

/** The field manager of every apply. */
export const FIELD_MANAGER = "fairlead";

/**
 * Fields that a resource adds to one object that it does not own. Neither stamped nor published, because the resource
 * does not own the object.
 */
export interface Addition {
  /** Identifies the object, and contains only the fields to add. */
  readonly manifest: Manifest;
  readonly kind: ObjectKind;
  /** The entry of the related objects to which it belongs. */
  readonly selector: string | undefined;
  /** Undefined: fields of the object itself. */
  readonly subresource?: string;
  /**
   * Paths of the object's own fields that the manifest sets. Other fields of the field manager are removed; with no
   * paths, all of them.
   */
  readonly fields?: readonly string[];
  /** Each resource has its own: two may add to the same object, and neither removes the other's fields. */
  readonly fieldManager: string;
}

/** Result of {@link synthesize}: one resource's objects, and its additions to others. */
export interface ManifestSet {
  /** Stamped, ids unique, in apply order. */
  readonly manifests: readonly Manifest[];
  /** In the order of the chart, ids unique; to be applied last. */
  readonly additions: readonly Addition[];
  /** By id, the ids of the manifests that must be healthy before it is applied. */
  readonly needs: ReadonlyMap<ObjectId, readonly ObjectId[]>;
  /** Value of the label `fairlead.dev/set`. */
  readonly set: string;
  /** Digest over all manifests without stamps: equal digests mean equal files in git. */
  readonly digest: string;
}
