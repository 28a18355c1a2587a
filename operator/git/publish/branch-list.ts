import { isUtf8 } from "node:buffer";
import { isResourceFolder } from "../../engine/sweep.ts";
import type { BranchView } from "./branch-view.ts";
import { branchLimits, isPlainPath } from "./messages.ts";

/** A list on its way: folders with the ids of their trees, or names of files. */
export interface ListPart {
  readonly list: "trees" | "files";
  readonly part: Buffer;
}

/** Entries and characters of one part. */
const [PART_ENTRIES, PART_CHARACTERS] = [1_000, 128 * 2 ** 10];
const treeEntry = /^([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/s;

/**
 * Encodes what is on a branch in parts: entries that each end with a NUL, which no path of git contains. An entry is `<tree>
 * <folder>`, or the name of a file. Paths that no resource of ours can have are left out.
 */
export function* encodeBranchLists({
  trees,
  files,
}: Pick<BranchView, "trees" | "files">): Generator<ListPart> {
  const folders = [...trees].filter(([folder]) => isPlainPath(folder));
  yield* partsOf(
    "trees",
    folders.map(([folder, tree]) => `${tree} ${folder}`),
  );
  yield* partsOf("files", [...files].filter(isFileName));
}

function* partsOf(list: ListPart["list"], entries: readonly string[]): Generator<ListPart> {
  let [count, text] = [0, ""];
  for (const entry of entries) {
    text += `${entry}\0`;
    if (++count < PART_ENTRIES && text.length < PART_CHARACTERS) continue;
    yield { list, part: Buffer.from(text) };
    [count, text] = [0, ""];
  }
  if (count > 0) yield { list, part: Buffer.from(text) };
}

/** Reads the parts of the lists. */
export class BranchListReader {
  readonly #trees = new Map<string, string>();
  readonly #files = new Set<string>();
  #entries = 0;
  #characters = 0;

  /** What was read. */
  get lists(): Pick<BranchView, "trees" | "files"> {
    return { trees: this.#trees, files: this.#files };
  }

  /** @throws RangeError for anything that is not a part of a list within {@link branchLimits}. */
  take({ list, part }: ListPart): void {
    if (!isUtf8(part)) throw new RangeError("a list that is not UTF-8");
    // Not more entries than a part may have: splitting a part of NULs alone would take long.
    const entries = part.toString("utf8").split("\0", PART_ENTRIES + 2);
    if (entries.length > PART_ENTRIES + 1) throw new RangeError("a list with too many entries in a part");
    if (entries.pop() !== "") throw new RangeError("a list that is cut off");
    for (const entry of entries) {
      this.#count(entry);
      if (list === "trees") this.#addTree(entry);
      else this.#addFile(entry);
    }
  }

  #count({ length }: string): void {
    this.#entries++;
    this.#characters += length;
    if (this.#entries > branchLimits.entries || this.#characters > branchLimits.characters)
      throw new RangeError("a list that is too long");
  }

  #addTree(entry: string): void {
    const [, id = "", folder = ""] = treeEntry.exec(entry) ?? [];
    if (!isPlainPath(folder) || !isResourceFolder(folder))
      throw new RangeError("a list with an entry that is no folder of a resource");
    this.#trees.set(folder, id);
  }

  #addFile(name: string): void {
    if (!isFileName(name)) throw new RangeError("a list with an entry that is no name of a file");
    this.#files.add(name);
  }
}

function isFileName(name: string): boolean {
  return name !== "" && !name.includes("/") && isPlainPath(name);
}
