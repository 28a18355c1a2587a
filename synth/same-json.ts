import { DEEP } from "./deep-json.ts";
import { toCanonicalJson } from "./digest.ts";

/**
 * Whether two JSON values are equal, as `toCanonicalJson` would write them: the order of an object's fields does not
 * matter, and a field that is undefined is absent. Writes no text and allocates little, because most values that are
 * compared share most of their parts. Pure.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isSame(a, b, 0);
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  // A value of 10,000 levels, which the API server accepts, would overflow the stack.
  if (depth > DEEP) return toCanonicalJson(a) === toCanonicalJson(b);
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b, depth + 1);
  return !Array.isArray(b) && isSameFields(a as Fields, b as Fields, depth + 1);
}

function isSameList(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (!isSame(a[index], b[index], depth)) return false;
  }
  return true;
}

function isSameFields(a: Fields, b: Fields, depth: number): boolean {
  let count = 0;
  for (const name of Object.keys(a)) {
    const value = a[name];
    if (value === undefined) continue;
    count++;
    if (!(Object.hasOwn(b, name) && isSame(value, b[name], depth))) return false;
  }
  for (const name of Object.keys(b)) {
    if (b[name] !== undefined) count--;
  }
  return count === 0;
}

type Fields = Readonly<Record<string, unknown>>;
