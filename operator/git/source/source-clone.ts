import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Clock } from "../../ports.ts";
import { BareClone, type CloneCommand, filesIn } from "../bare-clone.ts";
import type { GitCredentials } from "../credentials.ts";
import { GitError, isGitError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import { ObjectReader } from "./object-reader.ts";
import { findBrokenPack } from "./pack-check.ts";
import { TreeLookup } from "./tree-lookup.ts";

export interface SourceCloneOptions {
  /** Folder of this clone. If another process uses it, the folder `<base>-1` is used, and so on. */
  readonly base: string;
  readonly processes: GitProcesses;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The clone of a remote with all wanted refs. One long-running process reads its objects. */
export class SourceClone {
  readonly #options: SourceCloneOptions;
  readonly #clone: BareClone;
  readonly #packs = new Set<string>();
  #reader: ObjectReader;
  #trees: TreeLookup;

  private constructor(options: SourceCloneOptions, clone: BareClone) {
    this.#options = options;
    this.#clone = clone;
    this.#reader = this.#openReader();
    this.#trees = new TreeLookup(this.#reader, clone.format);
  }

  /** Opens the clone, or creates an empty one. @throws GitError `CacheBroken`, `Killed`, or an error of the disk */
  static async open(options: SourceCloneOptions): Promise<SourceClone> {
    const run = (command: CloneCommand): Promise<string> => runGit(command, options);
    const clone = new SourceClone(options, await BareClone.open({ ...options, run }));
    try {
      // A killed process leaves such files behind.
      const left = (await filesIn(clone.home)).filter((path) => /\/verify-[^/]*$/.test(path));
      await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })));
      await clone.sweep();
      return clone;
    } catch (error) {
      await clone.release();
      throw error;
    }
  }

  /** Directory in which git runs. */
  get directory(): string {
    return this.#clone.directory;
  }

  /** HOME of git: an empty folder of the operator. */
  get home(): string {
    return this.#clone.home;
  }

  /** Length of an id. */
  get hashBytes(): number {
    return this.format === "sha1" ? 20 : 32;
  }

  get format(): ObjectFormat {
    return this.#clone.format;
  }

  get reader(): ObjectReader {
    return this.#reader;
  }

  get trees(): TreeLookup {
    return this.#trees;
  }

  /** Environment of git when it only reads the clone. */
  environmentWith(settings?: GitCredentials["settings"]): Record<string, string> {
    return this.#clone.environmentWith(settings);
  }

  /** Deletes the clone and creates an empty one. */
  async rebuild(format: ObjectFormat): Promise<void> {
    await this.#reader.close();
    this.#packs.clear();
    // The folder may have been deleted while the clone was open.
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    await this.#clone.rebuild(format);
    this.#reader = this.#openReader();
    this.#trees = new TreeLookup(this.#reader, format);
  }

  /** Removes the files of a killed command: no other process works in this folder. */
  async sweep(): Promise<void> {
    const [top, refs, objects] = await Promise.all(
      [this.directory, join(this.directory, "refs", "fairlead"), this.#clone.packFolder].map(filesIn),
    );
    const left = [
      ...(top ?? []).filter((path) => path.endsWith(".lock")),
      ...(refs ?? []).filter((path) => path.endsWith(".lock")),
      ...(objects ?? []).filter((path) => /\/(tmp_|\.tmp-)[^/]*$/.test(path)),
    ];
    await Promise.all(left.map((path) => rm(path, { force: true })));
  }

  /** Bytes of all objects, including those that are being received. */
  async size(): Promise<number> {
    return await this.#clone.size();
  }

  /** Records the existing packs: see {@link assertWhole}. @returns How many there are. */
  async note(): Promise<number> {
    const names = await this.#clone.packs();
    for (const name of names) this.#packs.add(name);
    return names.length;
  }

  /**
   * Call it when an object is missing, because it may have been omitted on purpose. @throws GitError `CacheBroken` if a
   * pack is broken.
   */
  async assertWhole(): Promise<void> {
    const names = new Set([...this.#packs, ...(await this.#clone.packs())]);
    const broken = await findBrokenPack(this.#clone.packFolder, names, this.hashBytes);
    if (broken !== undefined) throw new GitError("CacheBroken", "Cannot read the clone: objects are missing");
  }

  async isThere(): Promise<boolean> {
    return await this.#clone.isThere();
  }

  /** Joins the packs. @throws GitError `CacheBroken` */
  async repack(): Promise<void> {
    // Omitted objects are missing, and git accepts that only in a clone of a "promisor" remote.
    const promisor = [["remote.origin.promisor", "true"]] as const;
    await this.#clone.read(["repack", "-a", "-d", "-q"], promisor);
    this.#packs.clear();
    await this.note();
    // It would keep the removed packs open.
    await this.#reader.close();
  }

  /** As for a {@link BareClone}. */
  async release(options: { readonly remove?: boolean } = {}): Promise<void> {
    await this.#reader.close();
    await this.#clone.release(options);
  }

  #openReader(): ObjectReader {
    const { processes, clock } = this.#options;
    const environment = this.environmentWith();
    return new ObjectReader({ processes, clock, directory: this.directory, environment });
  }
}

async function runGit(run: CloneCommand, { processes }: SourceCloneOptions): Promise<string> {
  const [name] = run.arguments;
  const result = await processes.run(run).catch((cause) => {
    if (isGitError(cause, "Killed")) throw cause;
    throw new GitError("CacheBroken", `Cannot use the clone: git ${name} does not start`, { cause });
  });
  if (result.exitCode === 0) return result.stdout.join("");
  const why = result.stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  throw new GitError("CacheBroken", `Cannot use the clone: git ${name}: ${why}`);
}
