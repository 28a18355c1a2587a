import { isUtf8 } from "node:buffer";

// Encodes long lists for messages between zones, in parts. Each word of an entry ends with a NUL, which no path in git
// contains.

/** Limits for a list that the other side sends. */
export interface EntryListLimits {
  readonly entries: number;
  /** Characters of the last words of all entries. */
  readonly characters: number;
  /** Number of words of an entry. */
  readonly words: number;
}

/** Maximum number of entries, and of characters, in one part. */
const [PART_ENTRIES, PART_CHARACTERS] = [1_000, 128 * 2 ** 10];

/** Encodes a list in parts of bounded size. */
export function* encodeEntries(entries: Iterable<readonly string[]>): Generator<Buffer> {
  let [count, text] = [0, ""];
  for (const words of entries) {
    text += `${words.join("\0")}\0`;
    if (++count < PART_ENTRIES && text.length < PART_CHARACTERS) continue;
    yield Buffer.from(text);
    [count, text] = [0, ""];
  }
  if (count > 0) yield Buffer.from(text);
}

/** Reads the parts of an untrusted list. */
export class EntryReader {
  readonly #limits: EntryListLimits;
  #entries = 0;
  #characters = 0;

  constructor(limits: EntryListLimits) {
    this.#limits = limits;
  }

  /** The entries of the next part. @throws RangeError for anything that is not a part of a list within the limits. */
  *read(part: Buffer): Generator<readonly string[]> {
    const { entries, characters, words } = this.#limits;
    if (!isUtf8(part)) throw new RangeError("a list that is not UTF-8");
    // Split into at most as many words as a part may have: splitting a part of only NULs would take long.
    const found = part.toString("utf8").split("\0", words * PART_ENTRIES + 2);
    if (found.length > words * PART_ENTRIES + 1)
      throw new RangeError("a list with too many entries in a part");
    if (found.pop() !== "" || found.length % words !== 0) throw new RangeError("a list that is cut off");
    for (let at = 0; at < found.length; at += words) {
      const entry = found.slice(at, at + words);
      this.#entries++;
      this.#characters += entry.at(-1)?.length ?? 0;
      if (this.#entries > entries || this.#characters > characters)
        throw new RangeError("a list that is too long");
      yield entry;
    }
  }
}
