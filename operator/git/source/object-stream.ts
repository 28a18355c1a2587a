import { GitError, isGitError } from "../git-errors.ts";
import type { GitProcesses, GitRun, GitStream } from "../git-process.ts";

export interface GitObject {
  readonly id: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Undefined if it was not requested, or exceeds the limit. */
  readonly body: Buffer | undefined;
}

interface Question {
  /** Contents up to this size are returned; undefined: none are. */
  readonly maxBytes: number | undefined;
  readonly count: number;
  readonly answers: (GitObject | undefined)[];
  readonly resolve: (answers: (GitObject | undefined)[]) => void;
  readonly reject: (error: Error) => void;
}

/** The object that is being received. Its last byte, a line feed, is not part of it. */
interface Incoming {
  readonly object: Omit<GitObject, "body">;
  readonly body: Buffer | undefined;
  filled: number;
}

/** One `git cat-file --batch-command` and its unanswered requests, in their order. */
export class ObjectStream {
  readonly #stream: GitStream;
  readonly #questions: Question[] = [];
  #line = "";
  #incoming: Incoming | undefined;
  #unwatch: (() => void) | undefined;
  #isOver = false;

  /** @param run The clone and its environment. */
  constructor(processes: GitProcesses, run: Omit<GitRun, "arguments">) {
    const words = ["cat-file", "--batch-command", "--buffer"];
    this.#stream = processes.stream({ ...run, arguments: words }, (chunk) => this.#hear(chunk));
    void this.#stream.over.then((error) => this.#ended(error));
  }

  /** It accepts no more requests. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isIdle(): boolean {
    return this.#questions.length === 0;
  }

  async ask(
    command: "info" | "contents",
    names: readonly string[],
    maxBytes?: number,
  ): Promise<(GitObject | undefined)[]> {
    const { promise, resolve, reject } = Promise.withResolvers<(GitObject | undefined)[]>();
    this.#questions.push({ maxBytes, count: names.length, answers: [], resolve, reject });
    this.#unwatch ??= this.#stream.watch();
    this.#stream.input.write(`${names.map((name) => `${command} ${name}\n`).join("")}flush\n`);
    return await promise;
  }

  /** Answers all requests, then ends. */
  async close(): Promise<void> {
    await this.#stream.close();
  }

  #ended(error: Error): void {
    this.#isOver = true;
    this.#rest();
    // The working directory of the process may have been deleted as well.
    const told = isGitError(error, "Killed")
      ? error
      : new GitError("CacheBroken", `Cannot read the clone: ${error.message || "git ended"}`, {
          cause: error,
        });
    for (const { reject } of this.#questions.splice(0)) reject(told);
  }

  #hear(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#incoming !== undefined) {
        at = this.#fill(this.#incoming, chunk, at);
        continue;
      }
      const end = chunk.indexOf(0x0a, at);
      this.#line += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
      if (end < 0) return;
      at = end + 1;
      this.#header(this.#line);
      this.#line = "";
    }
  }

  /** `<id> <type> <size>`, or `<name> missing`. */
  #header(line: string): void {
    const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
    if (id === undefined || type === undefined) {
      this.#answer(undefined);
      return;
    }
    const object = { id, type, size: Number(size) };
    const maxBytes = this.#questions[0]?.maxBytes;
    if (maxBytes === undefined) {
      this.#answer({ ...object, body: undefined });
      return;
    }
    const body = object.size <= maxBytes ? Buffer.allocUnsafeSlow(object.size) : undefined;
    this.#incoming = { object, body, filled: 0 };
  }

  #fill(incoming: Incoming, chunk: Buffer, at: number): number {
    const { object, body } = incoming;
    const left = object.size - incoming.filled;
    if (body !== undefined) chunk.copy(body, incoming.filled, at, Math.min(chunk.length, at + left));
    const take = Math.min(left + 1, chunk.length - at);
    incoming.filled += take;
    if (incoming.filled > object.size) {
      this.#incoming = undefined;
      this.#answer({ ...object, body });
    }
    return at + take;
  }

  #answer(object: GitObject | undefined): void {
    const [question] = this.#questions;
    if (question === undefined) return;
    question.answers.push(object);
    if (question.answers.length < question.count) return;
    this.#questions.shift();
    question.resolve(question.answers);
    if (this.isIdle) this.#rest();
  }

  /** No request waits, so a time without output is no failure any more. */
  #rest(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }
}
