import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../ports.ts";
import { type CacheSlot, takeCacheSlot } from "../cache-lock.ts";
import { gitEnvironment } from "../git-environment.ts";
import { CacheBrokenError, GitKilledError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import { credentialsFolder } from "../git-remote.ts";
import { ObjectReader } from "./object-reader.ts";
import { findBrokenPack, listPacks } from "./pack-check.ts";
import { TreeLookup } from "./tree-lookup.ts";

export interface SourceCloneOptions {
  /** Folder of this clone alone; a second process on it takes one beside it. */
  readonly base: string;
  readonly processes: GitProcesses;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type ObjectFormat = "sha1" | "sha256";

/**
 * The bare clone of one remote. Everything in it can be fetched again, so whatever looks wrong is answered by making it
 * anew. It has no remote of its own: nothing in it says where it came from, and reading it never asks anybody.
 */
export class SourceClone {
  readonly #options: SourceCloneOptions;
  readonly #slot: CacheSlot;
  readonly #packs = new Set<string>();
  #format: ObjectFormat = "sha1";
  #reader: ObjectReader;
  #trees: TreeLookup;

  private constructor(options: SourceCloneOptions, slot: CacheSlot) {
    this.#options = options;
    this.#slot = slot;
    this.#reader = this.#openReader();
    this.#trees = new TreeLookup(this.#reader, this.#format);
  }

  /** Finds the clone, or makes an empty one. @throws CacheBrokenError, GitKilledError, or an error of the disk */
  static async open(options: SourceCloneOptions): Promise<SourceClone> {
    const clone = new SourceClone(options, await takeCacheSlot(options.base));
    try {
      // Of a process that was killed.
      const left = (await filesIn(clone.home)).filter((path) => /\/(credentials$|verify-[^/]*$)/.test(path));
      await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })));
      await clone.#readFormat().catch(() => clone.rebuild("sha1"));
      await clone.sweep();
      return clone;
    } catch (error) {
      await clone.release();
      throw error;
    }
  }

  /** Where git runs. */
  get directory(): string {
    return join(this.#slot.directory, "repository.git");
  }

  /** git's home: empty, ours. */
  get home(): string {
    return this.#slot.directory;
  }

  /** Length of an id. */
  get hashBytes(): number {
    return this.#format === "sha1" ? 20 : 32;
  }

  get #packFolder(): string {
    return join(this.directory, "objects", "pack");
  }

  get format(): ObjectFormat {
    return this.#format;
  }

  get reader(): ObjectReader {
    return this.#reader;
  }

  get trees(): TreeLookup {
    return this.#trees;
  }

  /** Environment of git where it reads the clone only: no protocol is allowed. */
  get environment(): Record<string, string> {
    const { environment } = this.#options;
    const settings = [["protocol.file.allow", "never"]] as const;
    const credentials = { settings, sshCommand: undefined, secrets: [] };
    return gitEnvironment({ home: this.home, environment, protocol: "file", credentials });
  }

  /** Throws the clone away and makes an empty one. */
  async rebuild(format: ObjectFormat): Promise<void> {
    await this.#reader.close();
    this.#packs.clear();
    await rm(this.directory, { recursive: true, force: true });
    // Somebody may have cleaned up under us.
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    await this.#git(this.home, [
      "init",
      "--bare",
      "--quiet",
      "--template=",
      `--object-format=${format}`,
      this.directory,
    ]);
    await this.#readFormat();
  }

  /** Takes away what a killed command left behind: nobody but us works in this folder. */
  async sweep(): Promise<void> {
    const [top, refs, objects] = await Promise.all(
      [this.directory, join(this.directory, "refs", "fairlead"), this.#packFolder].map(filesIn),
    );
    const left = [
      ...(top ?? []).filter((path) => path.endsWith(".lock")),
      ...(refs ?? []).filter((path) => path.endsWith(".lock")),
      ...(objects ?? []).filter((path) => /\/(tmp_|\.tmp-)[^/]*$/.test(path)),
    ];
    await Promise.all(left.map((path) => rm(path, { force: true })));
  }

  /** Bytes of all objects, also of those that come in just now. */
  async size(): Promise<number> {
    // All is in packs, apart from what came from a host of plain files.
    const folders = await filesIn(join(this.directory, "objects"));
    const paths = (await Promise.all(folders.map(filesIn))).flat();
    const sizes = await Promise.all(
      paths.map(async (path) => (await stat(path).catch(() => undefined))?.size ?? 0),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Remembers which packs there are: see {@link assertWhole}. */
  async note(): Promise<void> {
    for (const name of await listPacks(this.#packFolder)) this.#packs.add(name);
  }

  /** Call it when something is missing: it may have been left out on purpose. @throws CacheBrokenError if a pack is broken. */
  async assertWhole(): Promise<void> {
    const broken = await findBrokenPack(this.#packFolder, this.#packs, this.hashBytes);
    if (broken !== undefined) throw new CacheBrokenError("Cannot read the clone: a part of it is gone");
  }

  async isThere(): Promise<boolean> {
    return (await stat(this.directory).catch(() => undefined))?.isDirectory() === true;
  }

  /** Makes the packs one when there are more than `most`. @throws CacheBrokenError */
  async tidy(most: number): Promise<void> {
    if ((await listPacks(this.#packFolder)).length <= most) return;
    // What was left out on purpose is missing: only a clone of a "promisor" may lack anything.
    const environment = { ...this.environment };
    const count = Number(environment["GIT_CONFIG_COUNT"]);
    environment[`GIT_CONFIG_KEY_${count}`] = "remote.origin.promisor";
    environment[`GIT_CONFIG_VALUE_${count}`] = "true";
    environment["GIT_CONFIG_COUNT"] = String(count + 1);
    await this.#git(this.directory, ["repack", "-a", "-d", "-q"], environment);
    this.#packs.clear();
    // It would keep the files open that were joined.
    await this.#reader.close();
  }

  /** Lets another process use the clone. */
  async release(): Promise<void> {
    await this.#reader.close();
    await rm(credentialsFolder(this.home), { recursive: true, force: true });
    await this.#slot.release();
  }

  /** Takes everything off the disk. */
  async remove(): Promise<void> {
    await this.#reader.close();
    await rm(this.#slot.directory, { recursive: true, force: true });
  }

  async #readFormat(): Promise<void> {
    // A folder above ours could be a repository too: the answer must be about this one.
    const words = ["rev-parse", "--show-object-format", "--absolute-git-dir"];
    const [format, folder] = (await this.#git(this.directory, words)).trim().split("\n");
    if (folder !== this.directory) throw new CacheBrokenError("Cannot use the clone: it is not there");
    this.#format = format === "sha256" ? "sha256" : "sha1";
    this.#reader = this.#openReader();
    this.#trees = new TreeLookup(this.#reader, this.#format);
  }

  #openReader(): ObjectReader {
    const { processes, clock } = this.#options;
    return new ObjectReader({ processes, clock, directory: this.directory, environment: this.environment });
  }

  async #git(directory: string, words: string[], environment = this.environment): Promise<string> {
    const result = await this.#options.processes
      .run({ arguments: words, directory, environment })
      .catch((error) => {
        if (error instanceof GitKilledError) throw error;
        throw new CacheBrokenError(`Cannot use the clone: git ${words[0]} does not start`, { cause: error });
      });
    if (result.exitCode === 0) return result.stdout;
    const why = result.stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
    throw new CacheBrokenError(`Cannot use the clone: git ${words[0]}: ${why}`);
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
