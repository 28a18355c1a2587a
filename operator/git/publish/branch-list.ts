import { isResourceFolder } from "../../engine/sweep.ts";
import { EntryReader, encodeEntries } from "../entry-list.ts";
import type { BranchView } from "./branch-clone.ts";
import { branchLimits, isPlainPath } from "./messages.ts";

/** A list in transit: folders with the ids of their trees, or names of files. */
export interface ListPart {
  readonly list: "trees" | "files";
  readonly part: Buffer;
}

const treeEntry = /^([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/s;

/**
 * Encodes the content of a branch in parts. An entry is `<tree> <folder>`, or the name of a file. Paths that no resource
 * can have are omitted.
 */
export function* encodeBranchLists({
  trees,
  files,
}: Pick<BranchView, "trees" | "files">): Generator<ListPart> {
  const folders = [...trees].filter(([folder]) => isPlainPath(folder));
  for (const part of encodeEntries(folders.map(([folder, tree]) => [`${tree} ${folder}`])))
    yield { list: "trees", part };
  for (const part of encodeEntries([...files].filter(isFileName).map((name) => [name])))
    yield { list: "files", part };
}

/** Reads the parts of the lists. */
export class BranchListReader {
  readonly #trees = new Map<string, string>();
  readonly #files = new Set<string>();
  readonly #reader = new EntryReader({ ...branchLimits, words: 1 });

  /** The list that was read. */
  get lists(): Pick<BranchView, "trees" | "files"> {
    return { trees: this.#trees, files: this.#files };
  }

  /** @throws RangeError for anything that is not a part of a list within {@link branchLimits}. */
  take({ list, part }: ListPart): void {
    for (const [entry = ""] of this.#reader.read(part)) {
      if (list === "trees") this.#addTree(entry);
      else if (isFileName(entry)) this.#files.add(entry);
      else throw new RangeError("a list with an entry that is not the name of a file");
    }
  }

  #addTree(entry: string): void {
    const [, id = "", folder = ""] = treeEntry.exec(entry) ?? [];
    if (!isPlainPath(folder) || !isResourceFolder(folder))
      throw new RangeError("a list with an entry that is not the folder of a resource");
    this.#trees.set(folder, id);
  }
}

function isFileName(name: string): boolean {
  return name !== "" && !name.includes("/") && isPlainPath(name);
}
