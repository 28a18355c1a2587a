import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Clock } from "../../ports.ts";
import { BareClone } from "../bare-clone.ts";
import type { ConfineGit } from "../git-command.ts";
import { CacheBrokenError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import {
  type BranchView,
  emptyBranch,
  readCommitLease,
  readResourceFolders,
  readTreeEntries,
  type TreeEntry,
} from "./branch-view.ts";
import type { CommitInput } from "./commit-stream.ts";
import { CommitWriter } from "./commit-writer.ts";
import { OWNER_FILE, OWNER_FILE_BYTES, type OwnerFile, readOwnerFile } from "./owner-file.ts";
import { readWithGit } from "./read-with-git.ts";

export interface GitCacheOptions {
  /** Folder that holds the clones of all remotes. */
  readonly directory: string;
  /** Names what the clone is of: each key has a clone of its own. */
  readonly key: string;
  readonly processes: GitProcesses;
  /** Walls around the processes that read the clone. Default: none. */
  readonly confine?: ConfineGit | undefined;
  readonly clock: Clock;
  /** Environment of git in a home folder. */
  readonly environment: (home: string) => Record<string, string>;
}

interface OwnerBlob {
  readonly id: string;
  readonly mode: string;
  readonly file: OwnerFile | "unreadable";
}

/** More packs than this are made one. */
const PACKS = 40;
/** A clone that has grown over this is fetched anew, with one commit of history. */
const CLONE_BYTES = 512 * 1024 * 1024;

/** The clone of a branch: shallow, read with {@link readWithGit}. Commits are written by a {@link CommitWriter}. */
export class GitCache {
  readonly #options: GitCacheOptions;
  readonly #clone: BareClone;
  readonly #stopped: AbortController;
  /** The owner file that was read last: it hardly ever changes. */
  #owner: OwnerBlob | undefined;
  #writer: CommitWriter | undefined;

  private constructor(options: GitCacheOptions, clone: BareClone, stopped: AbortController) {
    this.#options = options;
    this.#clone = clone;
    this.#stopped = stopped;
  }

  /** Opens the clone, or creates an empty one. */
  static async open(options: GitCacheOptions): Promise<GitCache> {
    const { directory, key, confine, environment } = options;
    const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
    const stopped = new AbortController();
    const clone = await BareClone.open({
      base: join(directory, name),
      run: async (command, place) => {
        try {
          return await readWithGit(command, {
            ...{ directory: place.directory, confine, signal: stopped.signal },
            environment: environment(place.home),
          });
        } catch (error) {
          throw new CacheBrokenError(`Cannot read the clone: git ${command[0]} failed`, { cause: error });
        }
      },
    });
    return new GitCache(options, clone, stopped);
  }

  /** Hash of the clone's objects. */
  get format(): ObjectFormat {
    return this.#clone.format;
  }

  /** Where git runs. */
  get directory(): string {
    return this.#clone.directory;
  }

  /** git's home: empty, ours. */
  get home(): string {
    return this.#clone.home;
  }

  /** Deletes the clone and creates an empty one. */
  async rebuild(format: ObjectFormat): Promise<void> {
    await this.#closeWriter();
    await this.#clone.rebuild(format);
  }

  /** Whether a commit is in the clone. */
  async has(commit: string): Promise<boolean> {
    try {
      return (await this.#clone.read(["cat-file", "-t", commit])).trim() === "commit";
    } catch {
      return false;
    }
  }

  /** The commit that the last fetch brought. Read from disk: between a fetch and a push every process counts. */
  async readFetchedHead(): Promise<string> {
    try {
      return (await readFile(join(this.directory, "refs", "fairlead", "head"), "utf8")).trim();
    } catch {
      // It was packed away.
      return (await this.#clone.read(["rev-parse", "--verify", "refs/fairlead/head"])).trim();
    }
  }

  /**
   * What a commit holds below our root.
   *
   * @throws CacheBrokenError when the clone does not have it.
   */
  async readBranch(head: string, root: string): Promise<BranchView> {
    // The dot keeps a folder from being an option.
    const below = root === "" ? [] : [`./${root}/`];
    const [folders, direct, commit] = await Promise.all([
      this.#clone.read(["ls-tree", "-r", "-d", "-z", "--full-tree", head, ...below]),
      this.#clone.read(["ls-tree", "-z", "-l", "--full-tree", head, ...below]),
      this.#clone.read(["cat-file", "commit", head]),
    ]);
    const entries = [...readTreeEntries(direct)];
    const ownerPath = root === "" ? OWNER_FILE : `${root}/${OWNER_FILE}`;
    const owner = entries.find(({ path }) => path === ownerPath);
    const files = entries
      .filter(({ type }) => type !== "tree")
      .map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
    const view: BranchView = {
      ...emptyBranch(),
      head,
      trees: readResourceFolders(folders, root),
      files: new Set(files),
      lease: readCommitLease(commit),
    };
    if (owner === undefined) return view;
    if (this.#owner?.id !== owner.id || this.#owner.mode !== owner.mode)
      this.#owner = await this.#readOwner(owner);
    view.ownerFile = this.#owner.file;
    return view;
  }

  /**
   * Writes a commit and gives its id. Nothing points to it yet but a name that the next one takes over.
   *
   * @throws CacheBrokenError when git cannot, such as when the parent is not in the clone.
   */
  async writeCommit(commit: CommitInput): Promise<string> {
    return await this.writer.write(commit);
  }

  /** Writes commits, also in parts. */
  get writer(): CommitWriter {
    this.#writer ??= new CommitWriter({
      ...this.#options,
      directory: this.directory,
      environment: this.#options.environment(this.home),
    });
    return this.#writer;
  }

  /**
   * Keeps the number of packs small, by joining the small ones only.
   *
   * @throws CacheBrokenError when the clone is so large that it should be recreated.
   */
  async tidy(): Promise<void> {
    const folder = this.#clone.packFolder;
    const packs = (await readdir(folder)).filter((name) => name.endsWith(".pack"));
    if (packs.length <= PACKS) return;
    const sizes = await Promise.all(packs.map(async (name) => (await stat(join(folder, name))).size));
    if (sizes.reduce((sum, size) => sum + size, 0) > CLONE_BYTES)
      throw new CacheBrokenError("Cannot keep the clone: too big");
    await this.#closeWriter();
    await this.#clone.read(["repack", "--geometric=2", "-d", "-q"]);
    // Every fetch leaves a line in the list of commits without a past, and every push sends the list.
    await this.#clone.read(["prune", "--expire=now"]);
  }

  /** Ends what runs, at once. */
  kill(): void {
    this.#stopped.abort();
  }

  /** Lets another process use the clone. */
  async release(): Promise<void> {
    await this.#closeWriter();
    await this.#clone.release();
  }

  async #closeWriter(): Promise<void> {
    await this.#writer?.close();
    this.#writer = undefined;
  }

  async #readOwner({ id, mode, type, bytes }: TreeEntry): Promise<OwnerBlob> {
    const readable = type === "blob" && mode !== "120000" && bytes <= OWNER_FILE_BYTES;
    const file = readable ? readOwnerFile(await this.#clone.read(["cat-file", "blob", id])) : "unreadable";
    return { id, mode, file };
  }
}
