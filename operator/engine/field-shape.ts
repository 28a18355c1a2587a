import type { KubernetesObject } from "../../crds/object.ts";

/**
 * Properties of a field in the API server's schema: how lists merge, which values are quantities, and which defaults are
 * set. A field without a shape is a plain value, a map that is compared field by field, or an atomic list.
 */
export interface FieldShape {
  /** Shapes of the fields of a struct, by name. */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** Shape of every value of a map or item of a list. */
  readonly each?: FieldShape;
  /** A list that merges by these fields of its items (`listType: map`). */
  readonly keys?: readonly string[];
  /** The order of our own items in a list that merges by keys is significant. */
  readonly ordered?: true;
  /** A list that merges as a set of plain values (`listType: set`). */
  readonly set?: true;
  /** A struct or map with one owner (`mapType: atomic`): additional fields are drift, also inside its values. */
  readonly atomic?: true;
  /** A quantity, of which several notations are equal. */
  readonly quantity?: true;
  /** Defaults that the server sets. They count only in atomic values and in list keys. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The server drops `false` and 0, so they equal an absent value. */
  readonly dropsZero?: true;
}

/** Returns the shape of the kind of an object. */
export type ShapeOf = (object: Pick<KubernetesObject, "apiVersion" | "kind">) => FieldShape;

export const atomic: FieldShape = { atomic: true };
export const quantity: FieldShape = { quantity: true };
export const quantities: FieldShape = { each: quantity };
export const set: FieldShape = { set: true };
export const dropsZero: FieldShape = { dropsZero: true };

/** A list that merges by these keys. */
export function keyedBy(
  keys: string | readonly string[],
  each: FieldShape = {},
  options: Pick<FieldShape, "ordered"> = {},
): FieldShape {
  return { keys: typeof keys === "string" ? [keys] : keys, each, ...options };
}

/** Requests and limits of volume claims. */
export const volumeResources: FieldShape = { fields: { requests: quantities, limits: quantities } };

/** Requests and limits of containers and pods. */
export const resources: FieldShape = {
  fields: { ...volumeResources.fields, claims: keyedBy("name") },
};

export const metadata: FieldShape = {
  fields: { finalizers: set, ownerReferences: keyedBy("uid", atomic) },
};
