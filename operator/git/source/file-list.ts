import { isUtf8 } from "node:buffer";
import { listLimits } from "./messages.ts";
import type { SourceFiles } from "./ports.ts";

/** A list of files, as `SourceFiles` gives it. */
export type FileList = Awaited<ReturnType<SourceFiles["list"]>>;

/** Entries and characters of one part. */
const [PART_ENTRIES, PART_CHARACTERS] = [1_000, 128 * 2 ** 10];
const blobEntry = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d{1,12})$/;

/** Why a list cannot be sent: the message ends a sentence that begins with "Cannot read the folder: ". */
export class FileListError extends Error {
  override readonly name = "FileListError";
}

/**
 * Encodes a list of files in parts. An entry is `<blob> <size>`, `symlink` or `submodule`, then the path, each ended by a
 * NUL, which no path of git contains.
 *
 * @throws FileListError for a list beyond {@link listLimits}, or a path that leaves its folder.
 */
export function* encodeFileList({ files, refused }: FileList): Generator<Buffer> {
  let [entries, text, characters] = [0, "", 0];
  for (const [about, path] of entriesOf({ files, refused })) {
    const problem = problemOf(path);
    if (problem !== undefined) throw new FileListError(problem);
    characters += path.length;
    if (characters > listLimits.characters) throw new FileListError("its paths are too long in all");
    text += `${about}\0${path}\0`;
    if (++entries < PART_ENTRIES && text.length < PART_CHARACTERS) continue;
    yield Buffer.from(text);
    [entries, text] = [0, ""];
  }
  if (entries > 0) yield Buffer.from(text);
}

function* entriesOf({ files, refused }: FileList): Generator<readonly [about: string, path: string]> {
  for (const { path, blob, size } of files) yield [`${blob} ${size}`, path];
  for (const { path, what } of refused) yield [what, path];
}

/** Reads the parts of a list. */
export class FileListReader {
  readonly #files: { path: string; blob: string; size: number }[] = [];
  readonly #refused: { path: string; what: "symlink" | "submodule" }[] = [];
  #entries = 0;
  #characters = 0;

  get list(): FileList {
    return { files: this.#files, refused: this.#refused };
  }

  /** @throws RangeError for anything that is not a part of a list within {@link listLimits}. */
  take(part: Buffer): void {
    if (!isUtf8(part)) throw new RangeError("a list that is not UTF-8");
    // Not more words than a part may have: splitting a part of NULs alone would take long.
    const words = part.toString("utf8").split("\0", 2 * PART_ENTRIES + 2);
    if (words.length > 2 * PART_ENTRIES + 1) throw new RangeError("a list with too many entries in a part");
    if (words.pop() !== "" || words.length % 2 !== 0) throw new RangeError("a list that is cut off");
    for (let at = 0; at < words.length; at += 2) this.#add(words[at] ?? "", words[at + 1] ?? "");
  }

  #add(about: string, path: string): void {
    this.#entries++;
    this.#characters += path.length;
    if (this.#entries > listLimits.entries || this.#characters > listLimits.characters)
      throw new RangeError("a list that is too long");
    const problem = problemOf(path);
    if (problem !== undefined) throw new RangeError(`a list where ${problem}`);
    if (about === "symlink" || about === "submodule") {
      this.#refused.push({ path, what: about });
      return;
    }
    const [, blob, size] = blobEntry.exec(about) ?? [];
    if (blob === undefined) throw new RangeError("a list with an entry that is no file");
    this.#files.push({ path, blob, size: Number(size) });
  }
}

function problemOf(path: string): string | undefined {
  if (path.length > listLimits.pathCharacters)
    return `a path has more than ${listLimits.pathCharacters} characters`;
  const isPlain = path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain ? undefined : "a path is not below the folder";
}
