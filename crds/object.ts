/** A type of object, as discovery names it. `group` is empty for the core group. */
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

/** Any API object, in the JSON shape that the server speaks. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/**
 * An object as the server has it. `managedFields` are reduced to `ours` when the object enters the
 * operator: they are large, and only one question is ever asked of them.
 */
export interface LiveObject extends KubernetesObject {
  readonly metadata: ObjectMeta & { readonly uid: string; readonly resourceVersion: string };
  /** Whether our field manager has applied to this object (an `Apply` entry of ours in managedFields). */
  readonly ours: boolean;
  /**
   * Fields of the object that our resources have set without owning it, by field manager and in the form FieldsV1. Absent
   * where there are none, as on every object that nothing was added to.
   */
  readonly addedFields?: Readonly<Record<string, unknown>>;
}

/** A custom resource of one of our kinds. */
export interface CustomResource<Spec = unknown, Status = unknown> extends LiveObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/** `apiVersion` of a kind: `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<ObjectKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** `plural.group` (plain plural in the core group): names a kind whatever its version. */
export function groupKindOf({ group, plural }: Pick<ObjectKind, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** The group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** The key of an object within its kind: `namespace/name`, or `name` where it has no namespace. */
export function keyOf({ metadata }: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> }): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** The owner reference that says `controller: true`, if there is one. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
