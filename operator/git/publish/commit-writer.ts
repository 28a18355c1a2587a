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
  /** Of the commit. */
  readonly isFirst: boolean;
}

/** After this long without work, its process ends. */
const IDLE_MS = 20_000;

/**
 * Writes commits through one `git fast-import` that stays: to start a process out of one of our size takes 2 ms of the
 * event loop and makes the memory that is written next slow, and the commit after an edit would pay for it.
 */
export class CommitWriter {
  readonly #options: CommitWriterOptions;
  #process: GitConversation | undefined;
  #closing: Promise<void> | undefined;
  #cancelIdle: (() => void) | undefined;
  /** It has read a part of a commit. */
  #isWithin = false;

  constructor(options: CommitWriterOptions) {
    this.#options = options;
  }

  /** Takes a part of the stream of a commit. One that is begun and never ended is nowhere to be seen. */
  async add(part: Uint8Array, options: PartOptions): Promise<void> {
    const process = await this.#begin(options);
    this.#isWithin = true;
    await process.write(part);
  }

  /**
   * Takes the last part of the stream of a commit (commit-stream.ts), and gives the commit's id. Nothing points to it yet but a
   * name that the next one takes over.
   *
   * @throws GitError `CacheBroken` when git cannot, such as when the parent is not in the clone.
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

  /** Ends the process. It must not outlive objects that it knows of: it would not write them a second time. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    if (this.#process !== undefined) this.#closing = this.#process.close();
    this.#process = undefined;
    this.#isWithin = false;
    // A close after the idle timer waits for the same end.
    await this.#closing;
  }

  /** The process that reads the part. */
  async #begin({ isFirst }: PartOptions): Promise<GitConversation> {
    this.#cancelIdle?.();
    if (isFirst && this.#isWithin) await this.close();
    if (!isFirst && this.#process === undefined)
      throw new GitError("Ended", "a commit without its first part");
    // One that ended within a commit says why when it is asked for the id.
    if (this.#process === undefined || (isFirst && this.#process.isOver)) this.#process = this.#open();
    return this.#process;
  }

  #open(): GitConversation {
    const { processes, directory, environment } = this.#options;
    return converse(processes, {
      // Forced, because this name of ours moves to commits that do not descend from the one before; no branch does.
      arguments: ["fast-import", "--quiet", "--force", "--date-format=raw"],
      directory,
      environment,
    });
  }
}
