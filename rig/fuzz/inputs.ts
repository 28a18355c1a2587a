/** Generates inputs from tokens. The same seed gives the same inputs. */
export class Inputs {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** An integer from 0 to below the limit. xorshift32. */
  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** A few tokens. Sometimes a byte is changed, or the end is cut off. */
  short(tokens: readonly string[]): Buffer {
    const bytes = Buffer.from(this.#run(tokens, 1 + this.below(24)));
    if (this.below(8) === 0 && bytes.length > 0) bytes[this.below(bytes.length)] = this.below(256);
    return this.below(8) === 0 ? bytes.subarray(0, this.below(bytes.length + 1)) : bytes;
  }

  /** A shape of any length: a beginning, a repeated unit, and an end. */
  shape(tokens: readonly string[]): Shape {
    const lengths = [this.below(4), 1 + this.below(3), this.below(3)];
    const [start = "", unit = "", end = ""] = lengths.map((length) => this.#run(tokens, length));
    return { start, unit, end };
  }

  #run(tokens: readonly string[], length: number): string {
    return Array.from({ length }, () => this.pick(tokens)).join("");
  }
}

export interface Shape {
  readonly start: string;
  readonly unit: string;
  readonly end: string;
}

/** The shape with about this many bytes. */
export function grow({ start, unit, end }: Shape, bytes: number): Buffer {
  const times = Math.max(1, Math.floor(bytes / Math.max(1, Buffer.byteLength(unit))));
  return Buffer.from(`${start}${unit.repeat(times)}${end}`);
}
