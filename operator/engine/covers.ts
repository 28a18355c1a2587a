import { groupOf, type KubernetesObject } from "../../crds/object.ts";
import type { FieldShape } from "./field-shape.ts";
import { KeyedItems } from "./keyed-items.ts";
import { shapeOf } from "./kind-shapes.ts";
import { isSameQuantity } from "./quantity.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the first field of a manifest that differs in the live object; undefined: none differs. Additional fields of the
 * live object belong to other managers and are not drift, except in atomic structs and lists. An empty value that the
 * server drops equals an absent one.
 *
 * @returns A path for users, such as `spec.template.spec.containers[web].image`.
 */
export function findDrift(desired: KubernetesObject, live: KubernetesObject): string | undefined {
  const shape = shapeOf(groupOf(desired.apiVersion), desired.kind);
  return findInFields(withEncodedData(desired), live, shape);
}

/** Whether the live object has every field of a manifest with an equal value; see {@link findDrift}. */
export function covers(desired: KubernetesObject, live: KubernetesObject): boolean {
  return findDrift(desired, live) === undefined;
}

const plain: FieldShape = {};

function findInValue(desired: unknown, live: unknown, shape: FieldShape): string | undefined {
  if (desired === live) return undefined;
  if (live === undefined || live === null) return isDropped(desired, shape) ? undefined : "";
  if (Array.isArray(desired)) return Array.isArray(live) ? findInList(desired, live, shape) : "";
  if (isFields(desired)) {
    if (!isFields(live)) return "";
    const drift = findInFields(desired, live, shape);
    return drift ?? (shape.atomic === true ? findAddition(desired, live, shape) : undefined);
  }
  if (shape.quantity === true && isSameQuantity(desired, live)) return undefined;
  return "";
}

function findInFields(desired: Fields, live: Fields, shape: FieldShape): string | undefined {
  for (const name in desired) {
    const found = findInValue(desired[name], live[name], shape.fields?.[name] ?? shape.each ?? plain);
    if (found !== undefined) return join(name, found);
  }
  return undefined;
}

function findInList(
  desired: readonly unknown[],
  live: readonly unknown[],
  shape: FieldShape,
): string | undefined {
  if (shape.keys !== undefined) return findInKeyedList(desired, live, shape, shape.keys);
  if (shape.set === true) {
    const members = new Set(live);
    const missing = desired.find((member) => !members.has(member));
    return missing === undefined ? undefined : `[${String(missing)}]`;
  }
  if (desired.length !== live.length) return "";
  const each = shape.each ?? plain;
  for (const [index, value] of desired.entries()) {
    if (!isSame(value, live[index], each)) return `[${index}]`;
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
    const found = findInFields(item, live[at] as Fields, each);
    if (found !== undefined) return join(name, found);
    if (each.atomic === true && findAddition(item, live[at] as Fields, each) !== undefined) return name;
    next = at + 1;
  }
  return undefined;
}

/** Equality of atomic values: the live value may have additional fields only where the server fills in defaults. */
function isSame(desired: unknown, live: unknown, shape: FieldShape): boolean {
  if (desired === live) return true;
  if (live === undefined || live === null) return isDropped(desired, shape);
  if (Array.isArray(desired)) return Array.isArray(live) && findInList(desired, live, shape) === undefined;
  if (!isFields(desired)) return shape.quantity === true && isSameQuantity(desired, live);
  if (!isFields(live)) return false;
  for (const name in desired) {
    if (!isSame(desired[name], live[name], shape.fields?.[name] ?? shape.each ?? plain)) return false;
  }
  return findAddition(desired, live, shape) === undefined;
}

function findAddition(desired: Fields, live: Fields, shape: FieldShape): string | undefined {
  for (const name in live) {
    if (desired[name] !== undefined || isEmpty(live[name])) continue;
    const filledIn = shape.defaults?.[name];
    if (filledIn === undefined || !isSame(filledIn, live[name], plain)) return name;
  }
  return undefined;
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
