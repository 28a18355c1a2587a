import type { LiveObject } from "../../crds/object.ts";

/** The values under which an object is found; none for an object that is not in the index. Pure. */
export type IndexFunction = (object: LiveObject) => string | undefined | readonly string[];

/**
 * Keys of objects by a value of the object. Most values have one key, so a bare string represents a set of one: 30,000
 * sets would need more memory than their content. The values of an object are computed again when it is removed, and
 * not stored.
 */
export class StoreIndex {
  readonly #valuesOf: IndexFunction;
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(valuesOf: IndexFunction) {
    this.#valuesOf = valuesOf;
  }

  /** Moves a key from the values of its old object to those of its new one; either may be undefined. */
  move(key: string, old: LiveObject | undefined, object: LiveObject | undefined): void {
    const from = old && this.#valuesOf(old);
    const to = object && this.#valuesOf(object);
    if (from === to) return;
    for (const value of asList(from)) this.#remove(value, key);
    for (const value of asList(to)) this.#add(value, key);
  }

  /** The keys under `value`, unordered. */
  keysOf(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    return typeof keys === "string" ? [keys] : (keys ?? []);
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== "string") keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) this.#keys.delete(value);
    else if (typeof keys === "object" && keys.delete(key) && keys.size === 0) this.#keys.delete(value);
  }
}

function asList(values: ReturnType<IndexFunction>): readonly string[] {
  if (values === undefined) return [];
  return typeof values === "string" ? [values] : values;
}
