import { EntryReader, encodeEntries } from "../entry-list.ts";
import { listLimits } from "./messages.ts";
import type { SourceFiles } from "./ports.ts";

/** A list of files, as `SourceFiles` gives it. */
export type FileList = Awaited<ReturnType<SourceFiles["list"]>>;

const blobEntry = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d{1,12})$/;

/** Why a list cannot be sent: the message completes a sentence that begins with "Cannot read the folder: ". */
export class FileListError extends Error {
  override readonly name = "FileListError";
}

/**
 * Encodes a list of files in parts. The words of an entry are `<blob> <size>`, `symlink` or `submodule`, and the path.
 *
 * @throws FileListError for a list beyond {@link listLimits}, or a path that leaves its folder.
 */
export function encodeFileList(list: FileList): Generator<Buffer> {
  return encodeEntries(checkedEntriesOf(list));
}

function* checkedEntriesOf(list: FileList): Generator<readonly [about: string, path: string]> {
  let characters = 0;
  for (const entry of entriesOf(list)) {
    const [, path] = entry;
    const problem = problemOf(path);
    if (problem !== undefined) throw new FileListError(problem);
    characters += path.length;
    if (characters > listLimits.characters) throw new FileListError("its paths are too long in all");
    yield entry;
  }
}

function* entriesOf({ files, refused }: FileList): Generator<readonly [about: string, path: string]> {
  for (const { path, blob, size } of files) yield [`${blob} ${size}`, path];
  for (const { path, what } of refused) yield [what, path];
}

/** Reads the parts of a list. */
export class FileListReader {
  readonly #files: { path: string; blob: string; size: number }[] = [];
  readonly #refused: { path: string; what: "symlink" | "submodule" }[] = [];
  readonly #reader = new EntryReader({ ...listLimits, words: 2 });

  get list(): FileList {
    return { files: this.#files, refused: this.#refused };
  }

  /** @throws RangeError for anything that is not a part of a list within {@link listLimits}. */
  take(part: Buffer): void {
    for (const [about = "", path = ""] of this.#reader.read(part)) this.#add(about, path);
  }

  #add(about: string, path: string): void {
    const problem = problemOf(path);
    if (problem !== undefined) throw new RangeError(`a list where ${problem}`);
    if (about === "symlink" || about === "submodule") {
      this.#refused.push({ path, what: about });
      return;
    }
    const [, blob, size] = blobEntry.exec(about) ?? [];
    if (blob === undefined) throw new RangeError("a list with an entry that is not a file");
    this.#files.push({ path, blob, size: Number(size) });
  }
}

function problemOf(path: string): string | undefined {
  if (path.length > listLimits.pathCharacters)
    return `a path has more than ${listLimits.pathCharacters} characters`;
  const isPlain = path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain ? undefined : "a path is not below the folder";
}
