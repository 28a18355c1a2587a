import { SourceError } from "../../errors.ts";
import { GitError } from "../git-errors.ts";
import { readTree, type TreeEntry } from "./git-objects.ts";
import type { GitObject } from "./object-stream.ts";
import type { SourceFiles } from "./ports.ts";
import type { SourceClone } from "./source-clone.ts";

export interface SourceLimits {
  /** Maximum number of entries below one path: files and folders. @default 20_000 */
  readonly entries: number;
  /** Maximum characters of all paths below it, because deep folders and long names multiply. @default 4 Mi */
  readonly pathCharacters: number;
  /** Maximum bytes that are read of one path at once. @default 64 MiB */
  readonly readBytes: number;
  /** Larger files are not fetched if the server supports filters. @default 8 MiB */
  readonly fileBytes: number;
  /** Larger clones are not fetched further. @default 2 GiB */
  readonly cloneBytes: number;
  /** With more packs than this, they are joined: every fetch adds one. @default 50 */
  readonly packs: number;
}

export const defaultLimits: SourceLimits = {
  entries: 20_000,
  pathCharacters: 4 * 1024 * 1024,
  readBytes: 64 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  cloneBytes: 2 * 1024 * 1024 * 1024,
  packs: 50,
};

/** What is needed of a clone for reading. */
export type ReadableClone = Pick<SourceClone, "reader" | "hashBytes" | "assertWhole">;

export interface TreeFilesInput {
  /** Id of the folder's tree. */
  readonly tree: string;
  readonly limits: SourceLimits;
  /** Calls a function with the clone, when it can be read. */
  readonly use: <Result>(work: (clone: ReadableClone) => Promise<Result>) => Promise<Result>;
}

type Listing = Awaited<ReturnType<SourceFiles["list"]>>;
type ListedFile = Listing["files"][number];

/** Maximum length of an entry of a tree object: mode, name, id. */
const ENTRY_BYTES = 300;
const FOLDERS_AT_ONCE = 16;
const SMALL_FOLDER_BYTES = 256 * 1024;
/** Maximum depth of folders. */
const DEPTH = 100;
/** Maximum length of a path, in characters: no file system supports a longer one. */
const PATH_CHARACTERS = 4_096;

/** The files of one folder of a clone. */
export function treeFiles({ tree, limits, use }: TreeFilesInput): SourceFiles {
  return {
    list: () => use((clone) => list(clone, tree, limits)),
    read: (blobs) => use((clone) => read(clone, blobs, limits)),
  };
}

async function list(clone: ReadableClone, root: string, limits: SourceLimits): Promise<Listing> {
  const { reader } = clone;
  const folders = await readFolders(clone, root, limits);
  const files: Omit<ListedFile, "size">[] = [];
  const refused: { path: string; what: "symlink" | "submodule" }[] = [];
  let characters = 0;
  const visit = (id: string, prefix: string): void => {
    for (const { name, kind, id: below } of folders.get(id) ?? []) {
      // Joined names share their memory until something reads them, so check the length first.
      const path = prefix + name;
      characters += path.length;
      if (path.length > PATH_CHARACTERS) throw tooLong(`a path of more than ${PATH_CHARACTERS}`);
      if (characters > limits.pathCharacters) throw tooLong(`paths of more than ${limits.pathCharacters}`);
      if (kind === "tree") visit(below, `${path}/`);
      else if (kind === "file") files.push({ path, blob: below });
      else refused.push({ path, what: kind });
    }
  };
  visit(root, "");
  const blobs = await reader.info(files.map(({ blob }) => blob));
  if (blobs.includes(undefined)) await clone.assertWhole();
  // The server omitted this file, so it is known only that it is too large.
  const sized = files.map((file, index) => ({ ...file, size: blobs[index]?.size ?? limits.fileBytes + 1 }));
  return { files: sized, refused };
}

/** All folders below a tree by id, level by level. A folder that occurs many times is read once, and counts each time. */
async function readFolders(
  { reader, hashBytes }: ReadableClone,
  root: string,
  { entries: most }: SourceLimits,
): Promise<ReadonlyMap<string, readonly TreeEntry[]>> {
  const folders = new Map<string, readonly TreeEntry[]>();
  const mostBytes = most * ENTRY_BYTES;
  let [level, count, isRead, bytes] = [[root], 0, 0, 0];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH)
      throw new SourceError(
        "RenderLimit",
        `Cannot read the folder: it has more than ${DEPTH} levels of folders`,
      );
    const unread = [...new Set(level)].filter((id) => !folders.has(id));
    for (let at = 0; at < unread.length; at += FOLDERS_AT_ONCE) {
      for await (const object of readTrees(reader, unread.slice(at, at + FOLDERS_AT_ONCE), mostBytes)) {
        if (object?.type !== "tree") throw lost();
        if (object.body === undefined) throw tooMany(most);
        bytes += object.body.length;
        if (bytes > mostBytes) throw tooLong(`folders whose names and ids have more than ${mostBytes}`);
        const entries = readTree(object.body, hashBytes);
        isRead += entries.length;
        if (isRead > most) throw tooMany(most);
        folders.set(object.id, entries);
      }
    }
    const next: string[] = [];
    for (const entries of level.map((id) => folders.get(id) ?? [])) {
      count += entries.length;
      if (count > most) throw tooMany(most);
      assertReadable(entries);
      next.push(...entries.filter(({ kind }) => kind === "tree").map(({ id }) => id));
    }
    level = next;
  }
  return folders;
}

/** Large trees are read one at a time: each could be as large as the limit for all of them. */
async function* readTrees(
  reader: ReadableClone["reader"],
  ids: readonly string[],
  mostBytes: number,
): AsyncGenerator<GitObject | undefined> {
  for (const object of await reader.read(ids, Math.min(mostBytes, SMALL_FOLDER_BYTES))) {
    const isLarge = object?.type === "tree" && object.body === undefined && object.size <= mostBytes;
    yield isLarge ? (await reader.read([object.id], mostBytes))[0] : object;
  }
}

function assertReadable(entries: readonly TreeEntry[]): void {
  const odd = entries.find(({ name }) => name.includes("\ufffd"));
  if (odd === undefined) return;
  throw new SourceError(
    "RenderFailed",
    `Cannot read ${JSON.stringify(odd.name.slice(0, 255))}: the file's name is not UTF-8`,
  );
}

async function read(
  clone: ReadableClone,
  blobs: readonly string[],
  { readBytes, fileBytes }: SourceLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const { reader } = clone;
  const unique = [...new Set(blobs)];
  const infos = await reader.info(unique);
  const absent = infos.findIndex((info) => info?.type !== "blob");
  if (absent >= 0) await clone.assertWhole();
  if (absent >= 0)
    throw new SourceError(
      "RenderLimit",
      `Cannot read the files: one is larger than ${mebibytes(fileBytes)} MiB`,
    );
  const bytes = infos.reduce((sum, info) => sum + (info?.size ?? 0), 0);
  if (bytes > readBytes) {
    throw new SourceError(
      "RenderLimit",
      `Cannot read the files: they have ${mebibytes(bytes)} MiB in all, at most ${mebibytes(readBytes)} are allowed`,
    );
  }
  const objects = await reader.read(unique, readBytes);
  const contents = new Map<string, Buffer>();
  for (const [index, id] of unique.entries()) {
    const body = objects[index]?.body;
    if (body === undefined) throw lost();
    contents.set(id, body);
  }
  return contents;
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024));
}

function tooMany(most: number): SourceError {
  return new SourceError(
    "RenderLimit",
    `Cannot read the folder: it has more than ${most.toLocaleString("en")} entries`,
  );
}

function tooLong(what: string): SourceError {
  return new SourceError("RenderLimit", `Cannot read the folder: it has ${what} characters`);
}

/** It existed when the folder was listed. */
function lost(): GitError {
  return new GitError("CacheBroken", "Cannot read the files: they are being fetched again");
}
