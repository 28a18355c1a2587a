import { groupOf, type KubernetesObject, type ObjectKind } from "../crds/object.ts";

/** One desired object: plain JSON, without status and without anything that the server sets. */
export type Manifest = KubernetesObject;

/** Names one object in one cluster whatever its version: `group/Kind/namespace/name`. */
export type ObjectId = string;

/** The id of an object; group and namespace may be empty. */
export function idOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectId {
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Names the kind of an object in one cluster whatever its version: `group/Kind`. */
export type ObjectKindId = string;

/** The kind that an id is of. */
export function kindIn(id: ObjectId): ObjectKindId {
  return id.split("/", 2).join("/");
}

/** Labels and annotations that the operator puts on what it applies, beside the chart's own. */
export const stamps = {
  /** Label: id of the set of objects of one resource, made as the ApplySet specification makes it. */
  set: "fairlead.dev/set",
  /** Label beside it on objects of a Release: the same id, under the name that kubectl and other ApplySet tools look for. */
  partOf: "applyset.kubernetes.io/part-of",
  /** Annotation: digest of the manifest without stamps. */
  digest: "fairlead.dev/digest",
  /** Annotation on kinds that are replaced, not edited (Job): the resource's generation it was made for. */
  generation: "fairlead.dev/generation",
  /** Annotation beside it: digest of the fields that cannot be edited, as the chart last gave them. Made by the plan. */
  template: "fairlead.dev/template",
  /** Annotation on objects that garbage collection cannot reach: `<plural>.<group>/<key>` of their resource. */
  owner: "fairlead.dev/owner",
  /** Annotation that a user sets on a foreign object to hand it over: `<kind>/<namespace>/<name>`. */
  adoptBy: "fairlead.dev/adopt-by",
} as const;

/** The field manager of every apply. */
export const FIELD_MANAGER = "fairlead";

/** What a resource adds to one object that it does not own. Neither stamped nor published: it is not the resource's. */
export interface Addition {
  /** Names the object, and has nothing but the fields to add. */
  readonly manifest: Manifest;
  readonly kind: ObjectKind;
  /** Of the related objects that it is one of. */
  readonly selector: string | undefined;
  /** Undefined: fields of the object itself. */
  readonly subresource?: string;
  /**
   * Paths of the fields of the object itself that the manifest sets. What the field manager has besides them is removed; with
   * none, all of it.
   */
  readonly fields?: readonly string[];
  /** Each resource has one of its own: two may add to the same object, and neither takes away what is the other's. */
  readonly fieldManager: string;
}

/** What {@link synthesize} gives: one resource's objects, and what it adds to others. */
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
