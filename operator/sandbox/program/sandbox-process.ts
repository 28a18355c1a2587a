import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { SourceError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { KernelWalls } from "../kernel-walls.ts";
import { encodeMessage, type ToSandbox } from "./inside/messages.ts";
import { watchMemory } from "./memory-watch.ts";
import { MessageReader, type SandboxMessage } from "./message-reader.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import { OverShareError } from "./program-memory.ts";
import { sandboxArguments, sandboxEnvironment } from "./sandbox-arguments.ts";

export interface SandboxLimits {
  /** Resident memory, in all. */
  readonly memoryMiB: number;
  /** What one run may give. */
  readonly outputBytes: number;
}

export interface SandboxOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly runner: string;
  readonly walls: KernelWalls;
  readonly prlimit: string | undefined;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly limit?: string;
  /** A smaller limit of memory than the process has. A process that exceeds it ends with an {@link OverShareError}. */
  readonly shareMiB?: number | undefined;
  readonly onOld?: () => void;
}

/** Most that is kept of what the process says on standard error, which is only ever V8's last words. */
const LAST_WORDS = 16_384;
/** So much longer than the program's own limit may a run take: the process ends it first, where it can. */
const GRACE_MS = 1_000;
/** A run that takes longer is not to be waited for by others. */
const YOUNG_MS = 1_000;

/** Node has a dozen. Programs have no way to start one, unless they left their context. */
const MAX_THREADS = 64;
const tooManyThreads = `it has more than ${MAX_THREADS} threads`;

const stopped = "stopped";
/** V8's last words when something changes its flags (`--freeze-flags-after-init`); it ends as if memory had run out. */
const flagsFrozen = "Check failed: !IsFrozen()";

/**
 * A process without rights, which runs one program again and again (inside/runner.ts). Everything that it says may be made
 * up by the program.
 */
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
    const { runner, walls, prlimit, limits } = options;
    this.#options = options;
    // Two runs that differ come both; what is beyond that is no answer.
    this.#reader = new MessageReader(2 * limits.outputBytes + 2 ** 20);
    const { memoryMiB } = limits;
    const { wrapper, arguments: words } = sandboxArguments({ runner, walls, prlimit, memoryMiB });
    this.#child = spawn(wrapper ?? process.execPath, words, {
      cwd: "/",
      env: sandboxEnvironment,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#listen();
  }

  /** It can be asked no more. */
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

  /** Sends what needs no answer. */
  tell(header: ToSandbox, parts: readonly Uint8Array[] = []): void {
    this.#child.stdin.write(encodeMessage(header, parts));
  }

  /**
   * Sends a message and waits for the answer to it, for `timeoutMs` at most. One at a time.
   *
   * @param options.limit Whose limit `timeoutMs` is, for the message.
   * @param options.onOld Called when the answer takes longer than a second.
   * @throws SourceError when the process ends instead, or has to be ended.
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

  /** Ends it at once; `why` is what its program did. Without it, it is only needed no more. */
  kill(why?: SourceError): void {
    this.#killedFor ??= why;
    this.#ended ||= stopped;
    this.#isOver = true;
    this.#child.kill("SIGKILL");
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    // The process ended before it read everything: that it ended is what is told.
    stdin.on("error", () => {});
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("latin1")).slice(0, LAST_WORDS);
    });
    stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    this.#child.on("error", (error) => this.#noteEnd(error.message));
    this.#child.on("close", (code, signal) => this.#noteEnd(signal ?? `exit code ${code ?? "unknown"}`));
  }

  #hear(chunk: Buffer): void {
    try {
      const message = this.#reader.push(chunk);
      if (message === undefined) return;
      if (this.#answer === undefined) this.kill(programFailure("its process sent an unexpected message"));
      else this.#answer.resolve(message);
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
