import type { KubernetesObject } from "../../crds/object.ts";
import type { FieldShape, ShapeOf } from "./field-shape.ts";
import { KeyedItems } from "./keyed-items.ts";
import { isSameQuantity } from "./quantity.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the first field of a manifest that differs in the live object; undefined: none differs. Additional fields of the
 * live object belong to other managers and are not drift, except anywhere inside atomic structs and lists. An empty value
 * that the server drops equals an absent one.
 *
 * @returns A path for users, such as `spec.template.spec.containers[web].image`.
 */
export function findDrift(
  desired: KubernetesObject,
  live: KubernetesObject,
  shapeOf: ShapeOf,
): string | undefined {
  return findInFields(withEncodedData(desired), live, shapeOf(desired), false);
}

/** Whether the live object has every field of a manifest with an equal value; see {@link findDrift}. */
export function covers(desired: KubernetesObject, live: KubernetesObject, shapeOf: ShapeOf): boolean {
  return findDrift(desired, live, shapeOf) === undefined;
}

const plain: FieldShape = {};

/** @param isWhole Whether the value is part of an atomic one: then nothing in it merges, and an addition is drift. */
function findInValue(
  desired: unknown,
  live: unknown,
  shape: FieldShape,
  isWhole: boolean,
): string | undefined {
  if (desired === live) return undefined;
  if (live === undefined || live === null) return isDropped(desired, shape) ? undefined : "";
  if (Array.isArray(desired)) return Array.isArray(live) ? findInList(desired, live, shape, isWhole) : "";
  if (isFields(desired)) return isFields(live) ? findInFields(desired, live, shape, isWhole) : "";
  return shape.quantity === true && isSameQuantity(desired, live) ? undefined : "";
}

function findInFields(
  desired: Fields,
  live: Fields,
  shape: FieldShape,
  isWhole: boolean,
): string | undefined {
  const isAtomic = isWhole || shape.atomic === true;
  for (const name in desired) {
    const found = findInValue(desired[name], live[name], shapeIn(shape, name), isAtomic);
    if (found !== undefined) return join(name, found);
  }
  return isAtomic ? findAddition(desired, live, shape) : undefined;
}

function findInList(
  desired: readonly unknown[],
  live: readonly unknown[],
  shape: FieldShape,
  isWhole: boolean,
): string | undefined {
  if (!isWhole && shape.keys !== undefined) return findInKeyedList(desired, live, shape, shape.keys);
  if (!isWhole && shape.set === true) {
    const members = new Set(live);
    const missing = desired.find((member) => !members.has(member));
    return missing === undefined ? undefined : `[${String(missing)}]`;
  }
  if (desired.length !== live.length) return "";
  const each = shape.each ?? plain;
  for (const [index, value] of desired.entries()) {
    const found = findInValue(value, live[index], each, true);
    if (found !== undefined) return join(`[${index}]`, found);
  }
  return undefined;
}

function findInKeyedList(
  desired: readonly unknown[],
  live: readonly unknown[],
  shape: FieldShape,
  keys: readonly string[],
): string | undefined {
  const each = shape.each ?? plain;
  const items = new KeyedItems(live, keys, each);
  let next = 0;
  for (const item of desired) {
    if (!isFields(item)) return "";
    let at = items.indexFrom(item, next);
    if (at === -1 && shape.ordered !== true) at = items.indexFrom(item, 0);
    const name = `[${keys.map((key) => String(items.keyOf(item, key))).join("/")}]`;
    if (at === -1) return name;
    const found = findInFields(item, live[at] as Fields, each, false);
    if (found !== undefined) return join(name, found);
    next = at + 1;
  }
  return undefined;
}

/** Finds a field that only the live object has. The server adds defaults, and they may contain defaults. */
function findAddition(desired: Fields, live: Fields, shape: FieldShape): string | undefined {
  for (const name in live) {
    if (Object.hasOwn(desired, name) || isEmpty(live[name])) continue;
    const filledIn = shape.defaults?.[name];
    if (filledIn === undefined || findInValue(filledIn, live[name], shapeIn(shape, name), true) !== undefined)
      return name;
  }
  return undefined;
}

function shapeIn(shape: FieldShape, name: string): FieldShape {
  return shape.fields?.[name] ?? shape.each ?? plain;
}

function isDropped(desired: unknown, { dropsZero }: FieldShape): boolean {
  return isEmpty(desired) || (dropsZero === true && (desired === false || desired === 0));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function join(name: string, rest: string): string {
  return rest === "" || rest.startsWith("[") ? name + rest : `${name}.${rest}`;
}

/** Moves the `stringData` of a Secret to `data`, as the API server does. */
function withEncodedData(desired: KubernetesObject): Fields {
  const text = desired["stringData"];
  if (desired.kind !== "Secret" || desired.apiVersion !== "v1" || !isFields(text)) return desired;
  const encoded = Object.entries(text).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString("base64"),
  ]);
  const { stringData: _, ...rest } = desired;
  return { ...rest, data: { ...(desired["data"] as Fields | undefined), ...Object.fromEntries(encoded) } };
}
