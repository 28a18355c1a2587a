import type { LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { parseUntrusted } from "./json-shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a field manager owns all fields that an addition sets, and no others. If a field is missing, another manager's
 * apply could remove it unnoticed; if there are others, they must be removed. Values are not compared. Pure.
 */
export function ownsExactly(live: LiveObject, { manifest, fieldManager }: Addition): boolean {
  const owned = live.addedFields?.[fieldManager];
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...set } = manifest;
  return hasAll(owned, set) && isWithin(owned, set);
}

/**
 * Whether all set fields are in an entry of managedFields.
 *
 * @param owned In the form FieldsV1: nested objects whose keys are path elements.
 */
function hasAll(owned: unknown, set: unknown): boolean {
  if (!isFields(set)) return owned !== undefined;
  const isLeaf = isFields(owned) && Object.keys(owned).length === 0;
  if (isLeaf) return true;
  return Object.entries(set).every(([name, value]) => isFields(owned) && hasAll(owned[`f:${name}`], value));
}

/** Whether all fields of an entry of managedFields are set. */
function isWithin(owned: unknown, set: unknown): boolean {
  if (!isFields(owned)) return true;
  return Object.entries(owned).every(([element, inner]) => {
    // `.` is the struct, map or item itself.
    if (element === ".") return set !== undefined;
    const value = elementOf(set, element);
    return value !== undefined && isWithin(inner, value);
  });
}

/**
 * The value at a path element: `f:` a field, `k:` an item by its keys, `v:` a member of a set, `i:` an item by its
 * index.
 */
function elementOf(set: unknown, element: string): unknown {
  const [how, what] = [element.slice(0, 2), element.slice(2)];
  if (how === "f:") return isFields(set) ? set[what] : undefined;
  if (!Array.isArray(set)) return undefined;
  if (how === "i:") return set[Number(what)];
  const wanted = parse(what);
  return how === "v:" ? set.find((member) => member === wanted) : set.find((item) => hasKeys(item, wanted));
}

/** Whether an item has these keys. The server has set the default of a key that the item omits. */
function hasKeys(item: unknown, keys: unknown): boolean {
  if (!isFields(item) || !isFields(keys)) return false;
  return Object.entries(keys).every(([name, value]) => item[name] === undefined || item[name] === value);
}

/** Parses a path element. Usually the API server has written it, but a user who may change the object can write any text. */
function parse(text: string): unknown {
  try {
    return parseUntrusted(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
