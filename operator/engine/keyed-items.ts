import type { FieldShape } from "./field-shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Lists up to this length are searched item by item, which is faster than an index. */
const SHORT = 32;

/** Finds items of a list by their keys. Takes linear time for all items together, because the list of a manifest may be long. */
export class KeyedItems {
  readonly #items: readonly unknown[];
  readonly #keys: readonly string[];
  readonly #each: FieldShape;
  /** Positions of items with equal keys, in ascending order. */
  #places: Map<string, number[]> | undefined;

  /** @param each Shape of an item. It contains the defaults of keys. */
  constructor(items: readonly unknown[], keys: readonly string[], each: FieldShape) {
    this.#items = items;
    this.#keys = keys;
    this.#each = each;
  }

  /** Index of the first item with the keys of `item`, from `from` on; -1 if there is none. */
  indexFrom(item: Fields, from: number): number {
    // Nearly always, both lists have the same order.
    if (this.#isLike(item, this.#items[from])) return from;
    if (this.#items.length <= SHORT)
      return this.#items.findIndex((one, at) => at > from && this.#isLike(item, one));
    this.#places ??= this.#index();
    const places = this.#places.get(this.#textOf(item)) ?? [];
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return places[low] ?? -1;
  }

  /** The value of a key, or its default. */
  keyOf(item: Fields, key: string): unknown {
    return item[key] ?? this.#each.defaults?.[key];
  }

  #isLike(item: Fields, other: unknown): boolean {
    return isFields(other) && this.#keys.every((key) => this.keyOf(item, key) === this.keyOf(other, key));
  }

  #index(): Map<string, number[]> {
    const places = new Map<string, number[]>();
    for (const [at, item] of this.#items.entries()) {
      if (isFields(item)) places.getOrInsertComputed(this.#textOf(item), () => []).push(at);
    }
    return places;
  }

  #textOf(item: Fields): string {
    return JSON.stringify(this.#keys.map((key) => this.keyOf(item, key)));
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
