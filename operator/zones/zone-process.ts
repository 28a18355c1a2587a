import { type ChildProcess, spawn } from "node:child_process";
import type { Clock, Logger, Random } from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";

/** How a process of a zone is started. */
export interface ZoneCommand {
  readonly file: string;
  readonly arguments: readonly string[];
  /** The whole environment of the process: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ZoneProcessOptions {
  /** For the log. */
  readonly name: string;
  /** A function is called for each start. */
  readonly command: ZoneCommand | (() => ZoneCommand);
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** A process without a heartbeat for this time is killed. Default: 30 s. */
  readonly silenceMs?: number;
  /** Receives the standard output of the process, whose id is `pid`. */
  readonly onOutput?: (chunk: Buffer, pid: number) => void;
  /** Receives the standard error of the process. Default: only the end of it is kept. */
  readonly onLog?: (chunk: Buffer) => void;
}

const SILENCE_MS = 30_000;
const LAST_WORDS = 4_096;
const backoff = { initialMs: 50, factor: 2, capMs: 5_000, jitter: 0.5, resetAfterMs: 60_000 };

/**
 * Keeps one process of a zone running: starts it, restarts it with backoff when it ends, and kills it when it hangs. The
 * process writes heartbeats to its standard output, and ends when its standard input is closed, at the latest when this
 * process ends.
 */
export class ZoneProcess {
  readonly #options: ZoneProcessOptions;
  readonly #delays: Backoff;
  #child: ChildProcess | undefined;
  #cancelRestart = (): void => {};
  #isClosed = false;

  constructor(options: ZoneProcessOptions) {
    this.#options = options;
    this.#delays = new Backoff(backoff, options.random);
    this.#start();
  }

  /** Undefined while it is being restarted. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Stops the process by closing its standard input. Kills it if it has not ended in time. */
  async end({ withinMs }: { readonly withinMs: number }): Promise<void> {
    this.#isClosed = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
    const cancel = this.#options.clock.schedule(withinMs, () => child.kill("SIGKILL"));
    child.stdin?.end();
    await ended;
    cancel();
  }

  /** Restarts the process. */
  restart(): void {
    this.#child?.kill("SIGKILL");
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRestart();
    this.#child?.kill("SIGKILL");
  }

  #start(): void {
    const { command } = this.#options;
    const { file, arguments: words, environment } = typeof command === "function" ? command() : command;
    const child = spawn(file, words, { cwd: "/", env: environment, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    let lastWords = "";
    child.stderr.on("data", (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString("latin1")).slice(-LAST_WORDS);
      this.#options.onLog?.(chunk);
    });
    // A write fails when the process has ended, which its `close` event handles.
    child.stdin.on("error", () => {});
    const stopWatching = this.#watch(child);
    let isOver = false;
    const end = (how: string): void => {
      if (isOver) return;
      isOver = true;
      stopWatching();
      this.#restart(how, lastWords);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(signal ?? `exit code ${code ?? "unknown"}`));
  }

  #watch(child: ChildProcess): () => void {
    const { clock, silenceMs = SILENCE_MS, name, log } = this.#options;
    let heardMs = clock.now();
    let cancel = (): void => {};
    let isOver = false;
    const check = (): void => {
      if (isOver) return;
      const silentMs = clock.now() - heardMs;
      if (silentMs >= silenceMs) {
        log.warn("A process of a zone does not respond, killing it", { process: name });
        child.kill("SIGKILL");
        return;
      }
      // This process may have been busy itself: pending output is read before the next check.
      cancel = clock.schedule(silenceMs / 4, () => void setImmediate(check));
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      heardMs = clock.now();
      if (child.pid !== undefined) this.#options.onOutput?.(chunk, child.pid);
    });
    check();
    return () => {
      isOver = true;
      cancel();
    };
  }

  #restart(how: string, lastWords: string): void {
    this.#child = undefined;
    if (this.#isClosed) return;
    const { clock, log, name } = this.#options;
    log.warn("A process of a zone ended, restarting it", { process: name, reason: how, lastWords });
    this.#cancelRestart = clock.schedule(this.#delays.next(clock.now()), () => this.#start());
  }
}

/** Keeps the main process of a zone running until a signal ends it. */
export async function untilTerminated(): Promise<void> {
  // Clock timers do not prevent the process from exiting, and between two starts of its child nothing else does.
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  clearInterval(alive);
}
