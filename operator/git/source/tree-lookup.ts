import { GitError } from "../git-errors.ts";
import { type CommitObject, type EntryKind, readCommit, readTree, type TreeEntry } from "./git-objects.ts";
import type { ObjectReader } from "./object-reader.ts";

/** The object at a path. */
export interface FoundEntry {
  readonly kind: EntryKind;
  readonly id: string;
}

type Folder = ReadonlyMap<string, FoundEntry>;

interface Remembered {
  /** `too big`: see {@link FOLDER_BYTES}. */
  readonly folder: Folder | "too big";
  /** Weight of the entry in the cache. */
  readonly weight: number;
}

/** Folders with more bytes are not read for one entry: git reads the entry instead. */
const FOLDER_BYTES = 1024 * 1024;
/** Larger commit messages are not read. */
const COMMIT_BYTES = 1024 * 1024;
/** Maximum number of cached entries of folders. A name counts as one more for each 100 characters. */
const REMEMBERED_ENTRIES = 20_000;
const NAME_CHARACTERS = 100;
const REMEMBERED_COMMITS = 600;

/**
 * Finds the objects at paths of commits. Folders are cached, so that a thousand paths in one folder read one object, and
 * the next commit too.
 */
export class TreeLookup {
  readonly #reader: Pick<ObjectReader, "read" | "info">;
  readonly #hashBytes: number;
  readonly #folders = new Map<string, Remembered>();
  #weight = 0;
  readonly #commits = new Map<string, CommitObject>();

  constructor(reader: Pick<ObjectReader, "read" | "info">, format: "sha1" | "sha256") {
    this.#reader = reader;
    this.#hashBytes = format === "sha1" ? 20 : 32;
  }

  /** Undefined: it is not in the clone, or is not a commit. @throws GitError `CacheBroken` */
  async commit(id: string): Promise<CommitObject | undefined> {
    const known = this.#commits.get(id);
    if (known !== undefined) return known;
    const [object] = await this.#reader.read([id], COMMIT_BYTES);
    if (object?.type !== "commit" || object.body === undefined) return undefined;
    const commit = readCommit(id, object.body);
    this.#commits.set(id, commit);
    keepNewest(this.#commits, REMEMBERED_COMMITS);
    return commit;
  }

  /**
   * Finds the object at a path below a tree. Answers synchronously from cached folders: awaiting thousands of resolved
   * promises would block the event loop.
   *
   * @returns Undefined: there is none.
   */
  find(root: string, segments: readonly string[]): FoundEntry | undefined | Promise<FoundEntry | undefined> {
    let entry: FoundEntry = { kind: "tree", id: root };
    for (const [index, segment] of segments.entries()) {
      if (entry.kind !== "tree") return undefined;
      const folder = this.#folders.get(entry.id)?.folder;
      if (folder === undefined) return this.#readAndFind(entry.id, segments.slice(index));
      if (folder === "too big") return this.#askFor(entry.id, segments.slice(index));
      const next = folder.get(segment);
      if (next === undefined) return undefined;
      entry = next;
    }
    return entry;
  }

  /** Names of the direct entries of a folder; empty if it is too large to be read. */
  async list(tree: string): Promise<readonly (readonly [name: string, entry: FoundEntry])[]> {
    if (!this.#folders.has(tree)) await this.#readFolder(tree);
    const folder = this.#folders.get(tree)?.folder;
    return folder === undefined || folder === "too big" ? [] : [...folder];
  }

  async #readAndFind(tree: string, segments: readonly string[]): Promise<FoundEntry | undefined> {
    await this.#readFolder(tree);
    return await this.find(tree, segments);
  }

  async #askFor(tree: string, [segment = "", ...rest]: readonly string[]): Promise<FoundEntry | undefined> {
    const [object] = await this.#reader.info([`${tree}:${segment}`]);
    if (object === undefined) return undefined;
    // A symlink and a file are not distinguished here; reading such a folder reports its symlinks.
    const entry: FoundEntry = { kind: object.type === "tree" ? "tree" : "file", id: object.id };
    if (rest.length === 0) return entry;
    return entry.kind === "tree" ? await this.find(entry.id, rest) : undefined;
  }

  async #readFolder(tree: string): Promise<void> {
    const [object] = await this.#reader.read([tree], FOLDER_BYTES);
    if (object?.type !== "tree")
      throw new GitError("CacheBroken", "Cannot read the clone: a folder is missing");
    const folder = object.body === undefined ? undefined : readTree(object.body, this.#hashBytes);
    this.#remember(tree, folder);
  }

  #remember(tree: string, entries: readonly TreeEntry[] | undefined): void {
    const folder = entries && new Map(entries.map(({ name, kind, id }) => [name, { kind, id }] as const));
    const weight = entries?.reduce((sum, { name }) => sum + 1 + name.length / NAME_CHARACTERS, 0) ?? 1;
    this.#folders.set(tree, { folder: folder ?? "too big", weight });
    this.#weight += weight;
    while (this.#weight > REMEMBERED_ENTRIES && this.#folders.size > 1)
      for (const { weight } of keepNewest(this.#folders, this.#folders.size - 1)) this.#weight -= weight;
  }
}

/** Removes the oldest entries of a map until it has no more than `most`. @returns The removed entries. */
export function keepNewest<Value>(map: Map<string, Value>, most: number): Value[] {
  const forgotten: Value[] = [];
  for (const [key, value] of map) {
    if (map.size <= most) break;
    map.delete(key);
    forgotten.push(value);
  }
  return forgotten;
}
