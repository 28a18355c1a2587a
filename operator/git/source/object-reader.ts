import type { Clock } from "../../ports.ts";
import type { GitProcesses, GitRun } from "../git-process.ts";
import { type GitObject, ObjectStream } from "./object-stream.ts";

export interface ObjectReaderOptions extends Omit<GitRun, "arguments"> {
  readonly processes: GitProcesses;
  readonly clock: Clock;
}

/** After this long without requests, the process ends. */
const IDLE_MS = 20_000;

/**
 * Reads objects of a clone through one long-running process, for any number of folders and resources. Requests may be
 * sent while others wait.
 */
export class ObjectReader {
  readonly #options: ObjectReaderOptions;
  #stream: ObjectStream | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  /**
   * Type and size of an object by name: an id, or anything that `git rev-parse` accepts. Undefined: it does not exist.
   *
   * @throws GitError `CacheBroken`, `Killed`; RangeError for a name with a line break
   */
  async info(names: readonly string[]): Promise<(GitObject | undefined)[]> {
    return await this.#ask("info", names);
  }

  /** The same, with the contents of objects of up to `maxBytes`. */
  async read(names: readonly string[], maxBytes: number): Promise<(GitObject | undefined)[]> {
    return await this.#ask("contents", names, maxBytes);
  }

  /** Ends the process after its answers. The next request starts another one. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    const stream = this.#stream;
    this.#stream = undefined;
    await stream?.close();
  }

  async #ask(
    command: "info" | "contents",
    names: readonly string[],
    maxBytes?: number,
  ): Promise<(GitObject | undefined)[]> {
    if (names.length === 0) return [];
    if (names.some((name) => name.includes("\n")))
      throw new RangeError("Cannot ask git: a name has a line break");
    const { processes, clock, ...run } = this.#options;
    if (this.#stream?.isOver !== false) this.#stream = new ObjectStream(processes, run);
    const stream = this.#stream;
    this.#cancelIdle?.();
    this.#cancelIdle = clock.schedule(IDLE_MS, () => void (stream.isIdle && this.close()));
    return await stream.ask(command, names, maxBytes);
  }
}
