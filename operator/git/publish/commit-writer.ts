import type { Clock } from "../../ports.ts";
import { GitError, isGitError } from "../git-errors.ts";
import type { GitProcesses } from "../git-process.ts";
import { converse, type GitConversation } from "./git-conversation.ts";

export interface CommitWriterOptions {
  readonly processes: GitProcesses;
  readonly clock: Clock;
  /** The clone. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface PartOptions {
  /** Environment of git for the commit. */
  readonly isFirst: boolean;
}

/** After this time without work, the process ends. */
const IDLE_MS = 20_000;

/**
 * Writes commits through one long-running `git fast-import`. Starting a process from one of the operator's size takes 2
 * ms of the event loop and slows down the memory writes that follow, and the commit after each edit would have this
 * cost.
 */
export class CommitWriter {
  readonly #options: CommitWriterOptions;
  #process: GitConversation | undefined;
  #closing: Promise<void> | undefined;
  #cancelIdle: (() => void) | undefined;
  /** The process has read a part of a commit. */
  #isWithin = false;

  constructor(options: CommitWriterOptions) {
    this.#options = options;
  }

  /** Writes a part of the stream of a commit. A commit that is started and not finished does not become visible. */
  async add(part: Uint8Array, options: PartOptions): Promise<void> {
    const process = await this.#begin(options);
    this.#isWithin = true;
    await process.write(part);
  }

  /**
   * Writes the last part of the stream of a commit (commit-stream.ts), and returns the commit's id. Only a temporary ref
   * points to the commit, which the next commit moves.
   *
   * @throws GitError `CacheBroken` when git fails, for example because the parent is not in the clone.
   */
  async end(part: Uint8Array, options: PartOptions): Promise<string> {
    try {
      const process = await this.#begin(options);
      const id = await process.ask(part);
      this.#isWithin = false;
      if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) throw new GitError("Ended", `unexpected answer "${id}"`);
      this.#cancelIdle = this.#options.clock.schedule(IDLE_MS, () => void this.close());
      return id;
    } catch (error) {
      await this.close();
      if (!isGitError(error, "Ended")) throw error;
      throw new GitError("CacheBroken", `Cannot write a commit: ${error.message}`, { cause: error });
    }
  }

  /** Ends the process. It must not outlast the objects that it has written: it would not write them again. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    if (this.#process !== undefined) this.#closing = this.#process.close();
    this.#process = undefined;
    this.#isWithin = false;
    // A call of close() after the idle timer waits for the same end.
    await this.#closing;
  }

  /** The process that reads the part. */
  async #begin({ isFirst }: PartOptions): Promise<GitConversation> {
    this.#cancelIdle?.();
    if (isFirst && this.#isWithin) await this.close();
    if (!isFirst && this.#process === undefined)
      throw new GitError("Ended", "a commit without its first part");
    // A process that ended within a commit reports the reason when the id is requested.
    if (this.#process === undefined || (isFirst && this.#process.isOver)) this.#process = this.#open();
    return this.#process;
  }

  #open(): GitConversation {
    const { processes, directory, environment } = this.#options;
    return converse(processes, {
      // Forced, because this ref moves to commits that are not descendants of the previous one; branches never do.
      arguments: ["fast-import", "--quiet", "--force", "--date-format=raw"],
      directory,
      environment,
    });
  }
}
