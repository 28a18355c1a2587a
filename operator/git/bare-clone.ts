import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../engine/git-objects.ts";
import { type CacheSlot, takeCacheSlot } from "./cache-lock.ts";
import type { GitCredentials } from "./credentials.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GitError } from "./git-errors.ts";
import type { GitRun } from "./git-process.ts";
import { type CloneFolder, credentialsFolder } from "./git-remote.ts";

type Settings = GitCredentials["settings"];

export interface BareCloneOptions {
  /** Folder of this clone. If another process uses it, the folder `<base>-1` is used, and so on. */
  readonly base: string;
  /** The environment of this process. Git gets PATH from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs git and returns its output. @throws GitError `CacheBroken` when git fails */
  readonly run: (command: CloneCommand) => Promise<string>;
}

export type CloneCommand = Pick<GitRun, "arguments" | "directory" | "environment">;

/**
 * A bare clone that only one process uses. Everything in it can be fetched again, so a broken clone is recreated. No
 * remote is configured in it, and reading it uses no network.
 */
export class BareClone implements CloneFolder {
  readonly #options: BareCloneOptions;
  readonly #slot: CacheSlot;
  #format: ObjectFormat = "sha1";

  private constructor(options: BareCloneOptions, slot: CacheSlot) {
    this.#options = options;
    this.#slot = slot;
  }

  /** Opens the clone, or creates an empty one. @throws GitError `CacheBroken`, `Killed`, or an error of the disk */
  static async open(options: BareCloneOptions): Promise<BareClone> {
    const clone = new BareClone(options, await takeCacheSlot(options.base));
    try {
      // A killed process leaves credentials behind.
      await clone.#removeCredentials();
      await clone.#readFormat().catch(() => clone.rebuild("sha1"));
      return clone;
    } catch (error) {
      await clone.release();
      throw error;
    }
  }

  /** Directory in which git runs. */
  get directory(): string {
    return join(this.#slot.directory, "repository.git");
  }

  get home(): string {
    return this.#slot.directory;
  }

  get packFolder(): string {
    return join(this.directory, "objects", "pack");
  }

  /** Names of the packs, without their file extensions. */
  async packs(): Promise<string[]> {
    const names = await readdir(this.packFolder).catch(() => []);
    return names.filter((name) => name.endsWith(".pack")).map((name) => name.slice(0, -".pack".length));
  }

  /** Bytes of all objects, including those that are being received. */
  async size(): Promise<number> {
    // All objects are in packs, except those fetched over the dumb HTTP protocol.
    const paths = (await Promise.all((await filesIn(join(this.directory, "objects"))).map(filesIn))).flat();
    const sizes = await Promise.all(
      paths.map(async (path) => (await stat(path).catch(() => undefined))?.size ?? 0),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Hash algorithm of the clone's objects. */
  get format(): ObjectFormat {
    return this.#format;
  }

  async isThere(): Promise<boolean> {
    return (await stat(this.directory).catch(() => undefined))?.isDirectory() === true;
  }

  /** Deletes the clone and creates an empty one. Nothing may read it during this call. */
  async rebuild(format: ObjectFormat): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
    const options = ["--bare", "--template=", `--object-format=${format}`];
    await this.#run(["init", ...options, this.directory], this.home);
    await this.#readFormat();
  }

  /** Environment for git commands that use only the clone: no protocol is allowed. */
  environmentWith(more: Settings = []): Record<string, string> {
    const { environment } = this.#options;
    const settings = [["protocol.file.allow", "never"], ...more] as const;
    return gitEnvironment({ home: this.home, environment, protocol: "file", settings });
  }

  /** Runs a command that reads the clone, and returns its output. @throws GitError `CacheBroken` when git fails */
  async read(command: readonly string[], settings?: Settings): Promise<string> {
    return await this.#run(command, this.directory, settings);
  }

  /** Releases the lock on the clone. @param options.remove Also deletes the clone and its folder. */
  async release({ remove = false } = {}): Promise<void> {
    if (remove) return await rm(this.home, { recursive: true, force: true });
    await this.#removeCredentials();
    await this.#slot.release();
  }

  async #run(words: readonly string[], directory: string, settings?: Settings): Promise<string> {
    const environment = this.environmentWith(settings);
    return await this.#options.run({ arguments: words, directory, environment });
  }

  async #removeCredentials(): Promise<void> {
    await rm(credentialsFolder(this.home), { recursive: true, force: true });
  }

  async #readFormat(): Promise<void> {
    // A parent folder could be a repository too, so check that the answer is about this one.
    const answer = await this.read(["rev-parse", "--show-object-format", "--absolute-git-dir"]);
    const [format, folder] = answer.trim().split("\n");
    if (folder !== this.directory)
      throw new GitError("CacheBroken", "Cannot use the clone: it does not exist");
    this.#format = format === "sha256" ? "sha256" : "sha1";
  }
}

/** Paths of the entries of a folder; empty if there is no such folder. */
export async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
