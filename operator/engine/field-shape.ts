/**
 * Properties of a field in the API server's schema beyond its JSON: how lists merge, which values are quantities,
 * which defaults are filled in. A field without a shape is a plain value, a map compared field by field, or an atomic list.
 */
export interface FieldShape {
  /** Shapes of the fields of a struct, by name. */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** Shape of every value of a map or item of a list. */
  readonly each?: FieldShape;
  /** A list that merges by these fields of its items (`listType: map`). */
  readonly keys?: readonly string[];
  /** In a list that merges by keys: the order of our own items has a meaning too. */
  readonly ordered?: true;
  /** A list that merges as a set of plain values (`listType: set`). */
  readonly set?: true;
  /** A struct or map that has one owner (`mapType: atomic`): what others add to it is drift. */
  readonly atomic?: true;
  /** An amount that may be written in several ways. */
  readonly quantity?: true;
  /** Values that the server fills in. They count only where additions would be drift, and in list keys. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** `false` or 0 is dropped by the server, so that absence means the same. */
  readonly dropsZero?: true;
}

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

/** Requests and limits, of claims for volumes. */
export const volumeResources: FieldShape = { fields: { requests: quantities, limits: quantities } };

/** Requests and limits, of containers and pods. */
export const resources: FieldShape = {
  fields: { ...volumeResources.fields, claims: keyedBy("name") },
};

export const metadata: FieldShape = {
  fields: { finalizers: set, ownerReferences: keyedBy("uid", atomic) },
};
