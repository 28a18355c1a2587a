import { showText } from "../engine/show-text.ts";
import { resolvePlain } from "./resolve-scalar.ts";

type Fields = Record<string, unknown>;

/** Stops the parsing of a document with an error at the current position. */
export type Fail = (message: string) => never;

/** The fields of one map while it is parsed, with all rules about keys. */
export class FieldsReader {
  readonly fields: Fields = {};
  /** Keys from a merge, which the map's own keys may override. */
  #merged: Set<string> | undefined;

  /** Call it before the value of the key is parsed. */
  claim(key: string, fail: Fail): void {
    if (key === "__proto__") fail('the key "__proto__" is not allowed');
    if (Object.hasOwn(this.fields, key) && this.#merged?.delete(key) !== true) {
      fail(`the key "${showKey(key)}" is defined twice`);
    }
  }

  /** Adds the fields of `<<`: of one map, or of several, of which the first with a key has precedence. */
  merge(value: unknown, fail: Fail): void {
    this.#merged ??= new Set();
    const merged = this.#merged;
    for (const map of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (typeof map !== "object" || map === null || Array.isArray(map)) {
        fail("<< requires a map, or a list of maps");
      }
      for (const [key, field] of Object.entries(map)) {
        if (merged.has(key)) continue;
        // In go-yaml the merge would have precedence, and in the specification the map's own key.
        if (Object.hasOwn(this.fields, key)) {
          fail(`"${showKey(key)}" is before the << that also sets it; put << first`);
        }
        merged.add(key);
        this.fields[key] = field;
      }
    }
  }
}

/** Whether a plain key is text, or is converted as if it were a value: `on:` would become `true:`. */
export function isReadAsText(key: string): boolean {
  const value = resolvePlain(key);
  return value === key || (value !== null && String(value) === key);
}

function showKey(key: string): string {
  return showText(key, { longest: 60 });
}
