import type { LiveObject } from "../../crds/object.ts";
import { type IndexFunction, StoreIndex } from "./store-index.ts";

/** Objects by key, and what finds them. */
export class StoreContent {
  readonly #objects = new Map<string, LiveObject>();
  readonly #indexes: ReadonlyMap<string, StoreIndex>;

  constructor(indexes: Readonly<Record<string, IndexFunction>>) {
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, new StoreIndex(valuesOf)]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): LiveObject | undefined {
    return this.#objects.get(key);
  }

  entries(): Iterable<[string, LiveObject]> {
    return this.#objects;
  }

  values(): Iterable<LiveObject> {
    return this.#objects.values();
  }

  put(key: string, object: LiveObject): void {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.move(key, old, object);
  }

  remove(key: string): void {
    const old = this.#objects.get(key);
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.move(key, old, undefined);
  }

  /** In the order of names. @throws Error for an undeclared index. */
  byIndex(index: string, value: string): readonly LiveObject[] {
    const keys = this.#indexes.get(index)?.keysOf(value);
    if (keys === undefined) throw new Error(`Cannot read index "${index}": no such index`);
    const found: LiveObject[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found.length < 2 ? found : found.sort(byName);
  }
}

function byName({ metadata: a }: LiveObject, { metadata: b }: LiveObject): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const [from = "", to = ""] = [a.namespace, b.namespace];
  return from < to ? -1 : Number(from > to);
}
