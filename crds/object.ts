/** A type of object, as in discovery. `group` is empty for the core group. */
export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  /** 0: only finalizers block the deletion. */
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Any API object, in the server's JSON form. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/**
 * An object as stored by the server. `managedFields` are reduced to `ours` when the operator reads the object: they are
 * large, and are only needed for this one question.
 */
export interface LiveObject extends KubernetesObject {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string };
  /** Whether the operator's field manager has applied this object (it has an `Apply` entry in managedFields). */
  readonly ours: boolean;
  /**
   * Fields of the object that resources have set without owning it, by field manager and in the form FieldsV1. Absent if
   * there are none, as on every object without additions.
   */
  readonly addedFields?: Readonly<Record<string, unknown>>;
  /** When one of these fields last changed, RFC 3339, by the API server. */
  readonly addedAt?: string;
  /** Ids of the objects of a Release that has no inventory in its status yet; see SealedRecords. */
  readonly recorded?: readonly string[];
}

/** A custom resource of a kind of this operator. */
export interface CustomResource<Spec = unknown, Status = unknown> extends LiveObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/** `apiVersion` of a kind: `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<ObjectKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `plural.group` (only the plural in the core group): identifies a kind in any version. */
export function groupKindOf({ group, plural }: Pick<ObjectKind, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** The group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** The key of an object within its kind: `namespace/name`, or `name` if it has no namespace. */
export function keyOf({ metadata }: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> }): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** The namespace in the key of an object; "" if it has none. */
export function namespaceIn(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}

/** The owner reference with `controller: true`, if there is one. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
