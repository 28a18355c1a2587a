import { showText } from "../engine/show-text.ts";
import { resolvePlain } from "./resolve-scalar.ts";

type Fields = Record<string, unknown>;

/** Ends the reading of a document; says where. */
export type Fail = (message: string) => never;

/** The fields of one map as they are read, with everything that is said of keys. */
export class FieldsReader {
  readonly fields: Fields = {};
  /** Keys that a merge brought, and that the map's own may overrule. */
  #merged: Set<string> | undefined;

  /** Call before the value of the key is read. */
  claim(key: string, fail: Fail): void {
    if (key === "__proto__") fail('the key "__proto__" is not allowed');
    if (Object.hasOwn(this.fields, key) && this.#merged?.delete(key) !== true) {
      fail(`the key "${showKey(key)}" is defined twice`);
    }
  }

  /** Fields of `<<`: of one map, or of several, of which the first with a key is used. */
  merge(value: unknown, fail: Fail): void {
    this.#merged ??= new Set();
    const merged = this.#merged;
    for (const map of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (typeof map !== "object" || map === null || Array.isArray(map)) {
        fail("<< takes a map, or a list of maps");
      }
      for (const [key, field] of Object.entries(map)) {
        if (merged.has(key)) continue;
        // go-yaml would let the merge win, and the specification would not.
        if (Object.hasOwn(this.fields, key)) {
          fail(`"${showKey(key)}" is before the << that also sets it; put << first`);
        }
        merged.add(key);
        this.fields[key] = field;
      }
    }
  }
}

/** Whether a plain key is text, or is read as what it is written as: `on:` would become `true:`. */
export function isReadAsText(key: string): boolean {
  const value = resolvePlain(key);
  return value === key || (value !== null && String(value) === key);
}

function showKey(key: string): string {
  return showText(key, { longest: 60 });
}
