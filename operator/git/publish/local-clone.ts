import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Clock } from "../../ports.ts";
import { readCredentials } from "../credentials.ts";
import { type ConfineGit, unconfined } from "../git-command.ts";
import { gitEnvironment } from "../git-environment.ts";
import { GitProcesses } from "../git-process.ts";
import { GitRemote } from "../git-remote.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import type { BranchClone, CommitToPush } from "./branch-clone.ts";
import { BranchRemote } from "./branch-remote.ts";
import type { BranchView } from "./branch-view.ts";
import type { CommitInput } from "./commit-stream.ts";
import type { PartOptions } from "./commit-writer.ts";
import { GitCache } from "./git-cache.ts";

export interface LocalCloneOptions {
  /** Absolute path, `file://`, `https://`, `ssh://` or `user@host:path`. */
  readonly repository: string;
  readonly branch: string;
  /** Folder in the repository below which is read; empty for the repository itself. */
  readonly root: string;
  /** Folder with the keys of a Flux git Secret; undefined where none are needed. */
  readonly credentialsDirectory: string | undefined;
  /** Where clones are kept, one for each branch and root; everything below it can be deleted at any time. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** The environment of this process, of which git gets PATH and the proxies. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Walls around git's processes. Default: none. */
  readonly confine?: ConfineGit | undefined;
  /** As for {@link GitProcesses}. */
  readonly timeoutMs?: number | undefined;
}

/** A clone that git of this process works on. */
export class LocalClone implements BranchClone {
  readonly #openCache: () => Promise<GitCache>;
  readonly #processes: GitProcesses;
  readonly #remote: BranchRemote;
  readonly #root: string;
  #cache: GitCache | undefined;

  /** Touches nothing yet. @throws RemoteUrlError for a repository that we do not speak to. */
  constructor(options: LocalCloneOptions) {
    const {
      repository,
      branch,
      root,
      cacheDirectory,
      credentialsDirectory,
      clock,
      environment = {},
      timeoutMs,
    } = options;
    const remote = parseRemoteUrl(repository);
    const { protocol } = remote;
    const confine = options.confine && exceptHooks(options.confine);
    const processes = new GitProcesses({ clock, timeoutMs, confine });
    this.#root = root;
    this.#processes = processes;
    this.#openCache = () =>
      GitCache.open({
        directory: cacheDirectory,
        key: `${remote.url} ${branch} ${root}`,
        processes,
        confine,
        clock,
        environment: (home) => gitEnvironment({ home, environment, protocol }),
      });
    this.#remote = new BranchRemote({
      remote: new GitRemote({
        remote,
        processes,
        environment,
        credentials: () => readCredentials(credentialsDirectory, remote),
      }),
      url: remote.url,
      branch,
    });
  }

  get format(): ObjectFormat {
    return this.#cache?.format ?? "sha1";
  }

  async open(): Promise<void> {
    this.#cache ??= await this.#openCache();
  }

  async readHead(): Promise<string | undefined> {
    return await this.#remote.readHead(this.#opened);
  }

  async has(commit: string): Promise<boolean> {
    return await this.#opened.has(commit);
  }

  async fetch(): Promise<string> {
    const cache = this.#opened;
    await this.#remote.fetch(cache);
    return await cache.readFetchedHead();
  }

  async readBranch(head: string): Promise<BranchView> {
    return await this.#opened.readBranch(head, this.#root);
  }

  async writeCommit(commit: CommitInput): Promise<string> {
    return await this.#opened.writeCommit(commit);
  }

  /** Takes a part of the stream of a commit. */
  async addToCommit(part: Uint8Array, options: PartOptions): Promise<void> {
    await this.#opened.writer.add(part, options);
  }

  /** Takes the last part of the stream of a commit, and gives its id. @throws GitError `CacheBroken` */
  async endCommit(part: Uint8Array, options: PartOptions): Promise<string> {
    return await this.#opened.writer.end(part, options);
  }

  async push(commit: CommitToPush, beforeSend?: () => void): Promise<"landed" | "moved"> {
    beforeSend?.();
    return await this.#remote.push(this.#opened, commit);
  }

  async tidy(): Promise<void> {
    await this.#cache?.tidy();
  }

  async rebuild(format: ObjectFormat): Promise<void> {
    try {
      await this.#cache?.rebuild(format);
    } catch (error) {
      // What is left may be no clone at all: to open it again makes one.
      await this.close();
      throw error;
    }
  }

  kill(): void {
    this.#processes.close();
    this.#cache?.kill();
  }

  async close(): Promise<void> {
    const cache = this.#cache;
    this.#cache = undefined;
    await cache?.release();
  }

  get #opened(): GitCache {
    if (this.#cache === undefined) throw new Error("The clone is not open");
    return this.#cache;
  }
}

/** Hooks of a repository on this machine are programs in it: git that pushes to it has the walls of this process alone. */
function exceptHooks(confine: ConfineGit): ConfineGit {
  return (run) => (run.remote?.protocol === "file" ? unconfined(run) : confine(run));
}
