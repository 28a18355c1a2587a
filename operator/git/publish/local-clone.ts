import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Clock } from "../../ports.ts";
import { BareClone, type CloneCommand } from "../bare-clone.ts";
import { readCredentials } from "../credentials.ts";
import { type ConfineGit, unconfined } from "../git-command.ts";
import { GitError } from "../git-errors.ts";
import { GitProcesses } from "../git-process.ts";
import { GitRemote } from "../git-remote.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import type { BranchView, CommitToPush, PushOutcome } from "./branch-clone.ts";
import { BranchReader } from "./branch-reader.ts";
import { BranchRemote } from "./branch-remote.ts";
import { CommitWriter, type PartOptions } from "./commit-writer.ts";
import { readWithGit } from "./read-with-git.ts";

export interface LocalCloneOptions {
  /** Absolute path, `file://`, `https://`, `ssh://` or `user@host:path`. */
  readonly repository: string;
  readonly branch: string;
  /** Folder in the repository below which it reads; empty for the repository itself. */
  readonly root: string;
  /** Folder with the keys of a Flux git Secret; undefined if no credentials are needed. */
  readonly credentialsDirectory: string | undefined;
  /** Where clones are kept, one for each branch and root; everything below it can be deleted at any time. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
  /** The environment of this process. Git gets PATH and the proxies from it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Isolation of git processes. Default: none. */
  readonly confine?: ConfineGit | undefined;
  /** As for {@link GitProcesses}. */
  readonly timeoutMs?: number | undefined;
}

/** The parts of an open clone. */
interface OpenClone {
  readonly clone: BareClone;
  readonly reader: BranchReader;
  readonly writer: CommitWriter;
}

/** With more packs than this, they are joined into one. */
const PACKS = 40;
/** A clone that is larger than this is recreated, with one commit of history. */
const CLONE_BYTES = 512 * 1024 * 1024;

/**
 * The clone of a branch, for git in this process: the implementation of branch-clone.ts. It is shallow, read with
 * {@link readWithGit}, and written by a {@link CommitWriter}.
 */
export class LocalClone {
  readonly #options: LocalCloneOptions;
  readonly #url: string;
  readonly #confine: ConfineGit | undefined;
  readonly #processes: GitProcesses;
  readonly #remote: BranchRemote;
  readonly #stopped = new AbortController();
  #open: OpenClone | undefined;

  /** Does no I/O yet. @throws RemoteUrlError for a repository whose protocol is not supported. */
  constructor(options: LocalCloneOptions) {
    const { repository, branch, credentialsDirectory, clock, environment = {}, timeoutMs } = options;
    const remote = parseRemoteUrl(repository);
    const confine = options.confine && exceptHooks(options.confine);
    const processes = new GitProcesses({ clock, timeoutMs, confine });
    const credentials = () => readCredentials(credentialsDirectory, remote);
    this.#options = options;
    this.#confine = confine;
    this.#processes = processes;
    const { url } = remote;
    this.#url = url;
    this.#remote = new BranchRemote({
      ...{ url, branch, remote: new GitRemote({ remote, processes, environment, credentials }) },
    });
  }

  get format(): ObjectFormat {
    return this.#open?.clone.format ?? "sha1";
  }

  /** Opens the clone, or creates an empty one. */
  async open(): Promise<void> {
    const { cacheDirectory, branch, root, clock, environment = {} } = this.#options;
    const key = createHash("sha256").update(`${this.#url} ${branch} ${root}`).digest("hex");
    const clone = await BareClone.open({
      base: join(cacheDirectory, key.slice(0, 16)),
      environment,
      run: (command) => this.#run(command),
    });
    const processes = this.#processes;
    this.#open = {
      clone,
      reader: new BranchReader((command) => clone.read(command), root),
      writer: new CommitWriter({
        ...{ processes, clock, directory: clone.directory, environment: clone.environmentWith() },
      }),
    };
  }

  async readHead(): Promise<string | undefined> {
    return await this.#remote.readHead(this.#opened.clone);
  }

  async has(commit: string): Promise<boolean> {
    const { clone } = this.#opened;
    const type = await clone.read(["cat-file", "-t", commit]).catch(() => "");
    return type.trim() === "commit";
  }

  async fetch(): Promise<string> {
    const { clone } = this.#opened;
    await this.#remote.fetch(clone);
    try {
      // Read from disk, because starting a process between a fetch and a push takes time.
      return (await readFile(join(clone.directory, "refs", "fairlead", "head"), "utf8")).trim();
    } catch {
      // The ref is in packed-refs.
      return (await clone.read(["rev-parse", "--verify", "refs/fairlead/head"])).trim();
    }
  }

  async readBranch(head: string): Promise<BranchView> {
    return await this.#opened.reader.read(head);
  }

  /** Writes a part of the stream of a commit. */
  async addToCommit(part: Uint8Array, options: PartOptions): Promise<void> {
    await this.#opened.writer.add(part, options);
  }

  /** Writes the last part of the stream of a commit, and returns its id. @throws GitError `CacheBroken` */
  async endCommit(part: Uint8Array, options: PartOptions): Promise<string> {
    return await this.#opened.writer.end(part, options);
  }

  async push(commit: CommitToPush): Promise<PushOutcome> {
    return await this.#remote.push(this.#opened.clone, commit);
  }

  /**
   * Limits the number of packs, by joining only the small ones.
   *
   * @throws GitError `CacheBroken` when the clone is so large that it should be recreated.
   */
  async tidy(): Promise<void> {
    const { clone, writer } = this.#opened;
    if ((await clone.packs()).length <= PACKS) return;
    if ((await clone.size()) > CLONE_BYTES)
      throw new GitError("CacheBroken", "Cannot keep the clone: too big");
    await writer.close();
    await clone.read(["repack", "--geometric=2", "-d", "-q"]);
    // Every fetch adds a line to the file `shallow`, and every push sends that list.
    await clone.read(["prune", "--expire=now"]);
  }

  /** Deletes the clone and creates an empty one. */
  async rebuild(format: ObjectFormat): Promise<void> {
    const { clone, writer } = this.#opened;
    await writer.close();
    await clone.rebuild(format);
  }

  /** Kills running git processes. */
  kill(): void {
    this.#processes.close();
    this.#stopped.abort();
  }

  /** Releases the lock on the clone. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.writer.close();
    await this.#processes.untilEnded();
    await open?.clone.release();
  }

  get #opened(): OpenClone {
    if (this.#open === undefined) throw new Error("The clone is not open");
    return this.#open;
  }

  async #run({ arguments: words, ...command }: CloneCommand): Promise<string> {
    try {
      const { signal } = this.#stopped;
      return await readWithGit(words, { ...command, confine: this.#confine, signal });
    } catch (cause) {
      throw new GitError("CacheBroken", `Cannot read the clone: git ${words[0]} failed`, { cause });
    }
  }
}

/**
 * Hooks of a repository on this machine are programs in it: git that pushes to it has only the isolation of this
 * process.
 */
function exceptHooks(confine: ConfineGit): ConfineGit {
  return (run) => (run.remote?.protocol === "file" ? unconfined(run) : confine(run));
}
