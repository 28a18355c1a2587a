import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { SourceError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { KernelIsolation } from "../kernel-isolation.ts";
import { encodeMessage, type ToSandbox } from "./inside/messages.ts";
import { ownBytes, watchMemory } from "./memory-watch.ts";
import { MessageReader, type SandboxMessage } from "./message-reader.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import { OverShareError } from "./program-memory.ts";
import { sandboxArguments, sandboxEnvironment } from "./sandbox-arguments.ts";

export interface SandboxLimits {
  /** Total resident memory, in MiB. */
  readonly memoryMiB: number;
  /** Maximum output of one run. */
  readonly outputBytes: number;
}

export interface SandboxOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly runner: string;
  readonly isolation: KernelIsolation;
  readonly prlimit: string | undefined;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly limit?: string;
  /** A smaller memory limit than the process has. A process that exceeds it ends with an {@link OverShareError}. */
  readonly shareMiB?: number | undefined;
  readonly onOld?: () => void;
}

/** Maximum number of characters kept of the process's standard error, to which only V8 writes before it aborts. */
const LAST_WORDS = 16_384;
/** Extra time before the process is killed: usually it ends the run itself at the program's own timeout. */
const GRACE_MS = 1_000;
/** Others do not wait for a run that takes longer. */
const YOUNG_MS = 1_000;

/** Node has a dozen threads. Programs cannot start one, unless they escaped from their context. */
const MAX_THREADS = 64;
const tooManyThreads = `it has more than ${MAX_THREADS} threads`;

/** Processor time while it waits for another run. V8 needs a part of it for a collection. */
const IDLE_CPU_MS = 1_000;

/** The share of its memory that a process may keep until another run. */
export const IDLE_SHARE = 0.5;

const stopped = "stopped";
/**
 * V8's message when something changes its flags (`--freeze-flags-after-init`); it then aborts as if memory had run out.
 */
const flagsFrozen = "Check failed: !IsFrozen()";

/** A process without privileges, which runs one program repeatedly (inside/runner.ts). All of its output is untrusted. */
export class SandboxProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #options: SandboxOptions;
  readonly #reader: MessageReader;
  #answer: PromiseWithResolvers<SandboxMessage> | undefined;
  #lastWords = "";
  /** How it ended by itself. */
  #ended = "";
  #killedFor: SourceError | undefined;
  #isOver = false;
  readonly #end = Promise.withResolvers<void>();
  runs = 0;

  constructor(options: SandboxOptions) {
    const { runner, isolation, prlimit, limits } = options;
    this.#options = options;
    // If two runs differ, both texts are sent; longer output is invalid.
    this.#reader = new MessageReader(2 * limits.outputBytes + 2 ** 20);
    const { memoryMiB } = limits;
    const { wrapper, arguments: words } = sandboxArguments({ runner, isolation, prlimit, memoryMiB });
    this.#child = spawn(wrapper ?? process.execPath, words, {
      cwd: "/",
      env: sandboxEnvironment,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#listen();
  }

  /** It accepts no more requests. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its private memory at present, in MiB. After its end: 0. */
  get ownMiB(): number {
    const { pid } = this.#child;
    return this.#isOver || pid === undefined ? 0 : (ownBytes(pid) ?? 0) / 2 ** 20;
  }

  /** Sends a message without an answer. */
  tell(header: ToSandbox, parts: readonly Uint8Array[] = []): void {
    this.#child.stdin.write(encodeMessage(header, parts));
  }

  /**
   * Sends a message and waits for the answer to it, for `timeoutMs` at most. One at a time.
   *
   * @param options.limit Whose limit `timeoutMs` is, for the message.
   * @param options.onOld Called when the answer takes longer than a second.
   * @throws SourceError when the process ends or is killed before its answer.
   */
  async ask(
    header: ToSandbox,
    parts: readonly Uint8Array[],
    { timeoutMs, limit = "", shareMiB, onOld }: AskOptions,
  ): Promise<SandboxMessage> {
    const { clock, limits } = this.#options;
    if (this.#isOver) throw this.#explain();
    this.#answer = Promise.withResolvers();
    this.tell(header, parts);
    const pid = this.#child.pid;
    const stops = [
      clock.schedule(timeoutMs + GRACE_MS, () => this.kill(programLimit(tooLong(timeoutMs, limit)))),
      ...(onOld === undefined ? [] : [clock.schedule(YOUNG_MS, onOld)]),
      ...(pid === undefined
        ? []
        : [
            watchMemory(pid, {
              clock,
              limitMiB: shareMiB ?? limits.memoryMiB,
              maxThreads: MAX_THREADS,
              onOver: (what) =>
                this.kill(what === "memory" ? overMemory(limits, shareMiB) : programLimit(tooManyThreads)),
            }),
          ]),
    ];
    try {
      const answer = await this.#answer.promise;
      if (answer.header.kind === "timeout") {
        const error = programLimit(tooLong(timeoutMs, limit));
        this.kill(error);
        throw error;
      }
      return answer;
    } finally {
      this.#answer = undefined;
      for (const stop of stops) stop();
    }
  }

  /**
   * Watches it between two runs as during a run, and kills it if it uses the processor or too much memory: a program that
   * escaped from its context could continue after its answer.
   *
   * @returns A function that ends the watch.
   */
  watchIdle(): () => void {
    const { clock, limits } = this.#options;
    const { pid } = this.#child;
    if (pid === undefined) return () => {};
    const limitMiB = limits.memoryMiB * IDLE_SHARE;
    const onOver = (): void => this.kill();
    return watchMemory(pid, { clock, limitMiB, maxThreads: MAX_THREADS, maxCpuMs: IDLE_CPU_MS, onOver });
  }

  /** Kills it; `why` is the cause if its program is responsible. Without it, the process is just not needed any more. */
  kill(why?: SourceError): void {
    this.#killedFor ??= why;
    this.#ended ||= stopped;
    this.#isOver = true;
    this.#child.kill("SIGKILL");
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    // The process ended before it read all input: its end is reported, not this error.
    stdin.on("error", () => {});
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("latin1")).slice(0, LAST_WORDS);
      // Reading all that a program can write takes most of a processor.
      if (this.#lastWords.length === LAST_WORDS) stderr.destroy();
    });
    stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    this.#child.on("error", (error) => this.#noteEnd(error.message));
    this.#child.on("close", (code, signal) => this.#noteEnd(signal ?? `exit code ${code ?? "unknown"}`));
  }

  #hear(chunk: Buffer): void {
    // Also of a part of a message: the reader would keep it until the next run.
    if (this.#answer === undefined) {
      this.kill(programFailure("its process sent an unexpected message"));
      return;
    }
    try {
      const message = this.#reader.push(chunk);
      if (message !== undefined) this.#answer.resolve(message);
    } catch (error) {
      const { outputBytes } = this.#options.limits;
      this.kill(
        error instanceof RangeError
          ? programLimit(`its output is larger than ${outputBytes / 2 ** 20} MiB`)
          : programFailure("its process wrote unexpected data to the operator's pipe"),
      );
    }
  }

  #noteEnd(how: string): void {
    this.#isOver = true;
    this.#end.resolve();
    this.#ended ||= how;
    this.#answer?.promise.catch(() => {});
    this.#answer?.reject(this.#explain());
  }

  #explain(): Error {
    const { limits } = this.#options;
    if (this.#killedFor !== undefined) return this.#killedFor;
    if (this.#lastWords.includes(flagsFrozen))
      return programFailure("it tried to change V8 flags, and its process was ended");
    const ranOut = /heap out of memory|Allocation failed|Zone|allocation failure/i.test(this.#lastWords);
    if (ranOut || this.#ended === "SIGABRT" || this.#ended === "SIGTRAP") {
      return programLimit(tooMuchMemory(limits));
    }
    if (this.#ended === stopped) return new Error("Cannot run a program: the operator is stopping");
    const words = this.#lastWords.split("\n")[0] ?? "";
    return programFailure(`its process ended (${this.#ended})${words === "" ? "" : `: ${words}`}`);
  }
}

function tooLong(timeoutMs: number, limit: string): string {
  return `it runs longer than ${timeoutMs / 1_000} s${limit}`;
}

function overMemory(limits: SandboxLimits, shareMiB: number | undefined): SourceError {
  const message = tooMuchMemory({ ...limits, memoryMiB: shareMiB ?? limits.memoryMiB });
  return shareMiB === undefined ? programLimit(message) : new OverShareError("RenderLimit", message);
}

function tooMuchMemory({ memoryMiB }: SandboxLimits): string {
  return `it takes more than ${memoryMiB} MiB of memory`;
}
