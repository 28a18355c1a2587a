import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Clock } from "../../ports.ts";
import { BareClone, type BareCloneOptions } from "../bare-clone.ts";
import type { GitCredentials } from "../credentials.ts";
import { gitEnvironment } from "../git-environment.ts";
import { CacheBrokenError, GitKilledError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import type { CloneFolder } from "../git-remote.ts";
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

/** The clone of a remote with all refs that are wanted. One process that stays reads its objects. */
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

  /** Opens the clone, or creates an empty one. @throws CacheBrokenError, GitKilledError, or an error of the disk */
  static async open(options: SourceCloneOptions): Promise<SourceClone> {
    const run: RunGit = (command, place) => runGit(command, place, options);
    const clone = new SourceClone(options, await BareClone.open({ base: options.base, run }));
    try {
      // A process that was killed leaves them behind.
      const left = (await filesIn(clone.home)).filter((path) => /\/verify-[^/]*$/.test(path));
      await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })));
      await clone.sweep();
      return clone;
    } catch (error) {
      await clone.release();
      throw error;
    }
  }

  /** Where git runs. */
  get directory(): string {
    return this.#clone.directory;
  }

  /** git's home: empty, ours. */
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

  /** Environment of git where it reads the clone only: no protocol is allowed. */
  get environment(): Record<string, string> {
    return environmentIn(this.home, this.#options);
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
    for (const name of await listPacks(this.#clone.packFolder)) this.#packs.add(name);
  }

  /** Call it when something is missing: it may have been left out on purpose. @throws CacheBrokenError if a pack is broken. */
  async assertWhole(): Promise<void> {
    const broken = await findBrokenPack(this.#clone.packFolder, this.#packs, this.hashBytes);
    if (broken !== undefined) throw new CacheBrokenError("Cannot read the clone: a part of it is gone");
  }

  async isThere(): Promise<boolean> {
    return await this.#clone.isThere();
  }

  /** Makes the packs one when there are more than `most`. @throws CacheBrokenError */
  async tidy(most: number): Promise<void> {
    if ((await listPacks(this.#clone.packFolder)).length <= most) return;
    // What was left out on purpose is missing: only a clone of a "promisor" may lack anything.
    const promisor = [["remote.origin.promisor", "true"]] as const;
    await runGit(["repack", "-a", "-d", "-q"], this, this.#options, promisor);
    this.#packs.clear();
    // It would keep the files open that were joined.
    await this.#reader.close();
  }

  /** Lets another process use the clone. */
  async release(): Promise<void> {
    await this.#reader.close();
    await this.#clone.release();
  }

  /** Takes everything off the disk. */
  async remove(): Promise<void> {
    await this.#reader.close();
    await this.#clone.remove();
  }

  #openReader(): ObjectReader {
    const { processes, clock } = this.#options;
    return new ObjectReader({ processes, clock, directory: this.directory, environment: this.environment });
  }
}

type RunGit = BareCloneOptions["run"];

function environmentIn(
  home: string,
  { environment }: Pick<SourceCloneOptions, "environment">,
  more: GitCredentials["settings"] = [],
): Record<string, string> {
  const settings = [["protocol.file.allow", "never"], ...more] as const;
  const credentials = { settings, sshCommand: undefined, secrets: [] };
  return gitEnvironment({ home, environment, protocol: "file", credentials });
}

async function runGit(
  command: readonly string[],
  { directory, home }: CloneFolder,
  options: SourceCloneOptions,
  settings?: GitCredentials["settings"],
): Promise<string> {
  const environment = environmentIn(home, options, settings);
  const result = await options.processes
    .run({ arguments: command, directory, environment })
    .catch((error) => {
      if (error instanceof GitKilledError) throw error;
      throw new CacheBrokenError(`Cannot use the clone: git ${command[0]} does not start`, { cause: error });
    });
  if (result.exitCode === 0) return result.stdout;
  const why = result.stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  throw new CacheBrokenError(`Cannot use the clone: git ${command[0]}: ${why}`);
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
