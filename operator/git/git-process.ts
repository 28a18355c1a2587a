import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../ports.ts";
import { BoundedText } from "./bounded-text.ts";
import { type ConfineGit, unconfined } from "./git-command.ts";
import { GitError } from "./git-errors.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface GitRun {
  readonly arguments: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** @default git */
  readonly program?: "git" | "gpg";
  /** Kills the process; the reason is an Error. */
  readonly signal?: AbortSignal;
  /** Texts that must not appear in `stderr` of the result. */
  readonly secrets?: readonly string[];
  /** The repository that it connects to; undefined: it needs no network. */
  readonly remote?: RemoteUrl;
}

export interface GitResult {
  readonly exitCode: number;
  /** In pieces of at most 64 KiB: to join 16 MiB takes 0.1 s. */
  readonly stdout: readonly string[];
  /** Without secrets. A long text is cut to its first and last 32 KiB, because a remote decides how long it is. */
  readonly stderr: string;
}

/** A long-running process with binary input and output. */
export interface GitStream {
  /** Why it ended, once it has: GitError `Ended`, `Killed`, or the system's error when git could not be started. */
  readonly over: Promise<Error>;
  readonly input: Writable;
  /** Kills it after a timeout without output. The returned function ends the watch. */
  watch(): () => void;
  kill(reason: string): void;
  /** Closes its input, and waits until it has finished and ended. */
  close(): Promise<void>;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly kill: (reason: string) => void;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** Time of its last output, on the clock. */
  heardMs: number;
}

/** Maximum number of bytes kept of a process's output: a remote must not fill the operator's memory. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
/** Maximum number of characters kept of the stderr of a long-running process. */
const COMPLAINT = 64 * 1024;
/** Time without output after which git is considered hung. */
const TIMEOUT_MS = 60_000;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
/** Time for the other side of a connection to notice that git has ended, if it runs on this machine. */
const FINISH_MS = 500;
/** A process is killed after this many timeouts, even if it has output. */
const LIFETIME_FACTOR = 10;

export interface GitProcessesOptions {
  readonly clock: Clock;
  /** A process without output for this long is killed. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Default: no isolation. */
  readonly confine?: ConfineGit | undefined;
}

/**
 * Runs the git commands that may hang: those that use the remote, and fast-import, which reads a stream. simple-git
 * reads the clone (read-with-git.ts), but does not fit here: it kills only git itself and leaves the ssh or receive-pack
 * process that git started, its timer does not use the clock port, and all of its environment guards would have to be
 * disabled.
 */
export class GitProcesses {
  readonly #options: GitProcessesOptions;
  readonly #running = new Set<Started>();
  /** For each killed process, resolves when its group has ended. */
  readonly #ending = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: GitProcessesOptions) {
    this.#options = options;
  }

  /**
   * @returns The output of git, for every exit code.
   * @throws GitError `Killed` when it hung; the system's error when git could not be started.
   */
  async run(run: GitRun): Promise<GitResult> {
    // Decoded chunk by chunk: decoding 16 MiB at once takes 0.1 s.
    const decoder = new StringDecoder();
    const stdout: string[] = [];
    const stderr = new BoundedText();
    let bytes = 0;
    const started = this.#start(run, (name, chunk) => {
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES) started.kill("its output is too long");
      else if (name === "stdout") stdout.push(decoder.write(chunk));
      else stderr.add(chunk);
    });
    const watchdog = this.#watch(started);
    const stop = (): void => started.kill(String(run.signal?.reason?.message));
    run.signal?.addEventListener("abort", stop);
    if (run.signal?.aborted === true) stop();
    started.child.stdin.end();
    try {
      const exitCode = await started.ended;
      return { exitCode, stdout: [...stdout, decoder.end()], stderr: stderr.toText(run.secrets ?? []) };
    } finally {
      watchdog();
      run.signal?.removeEventListener("abort", stop);
    }
  }

  /**
   * Starts a long-running process; `hear` receives its output. @throws GitError `Killed` when the operator is stopping.
   */
  stream(run: GitRun, hear: (chunk: Buffer) => void): GitStream {
    let complaint = "";
    const started = this.#start(run, (name, chunk) => {
      if (name === "stdout") hear(chunk);
      else if (complaint.length < COMPLAINT) complaint = (complaint + chunk.toString()).slice(0, COMPLAINT);
    });
    const over = started.ended.then(
      () => new GitError("Ended", complaint.trim().split("\n")[0] ?? ""),
      (error: Error) => error,
    );
    return {
      over,
      input: started.child.stdin,
      watch: () => this.#watch(started),
      kill: started.kill,
      close: async () => {
        started.child.stdin.end();
        const watchdog = this.#watch(started);
        await over;
        watchdog();
      },
    };
  }

  /** Kills all running processes. */
  close(): void {
    this.#closed = true;
    for (const { kill } of this.#running) kill("the operator is stopping");
  }

  /** Waits until the killed processes, and those that they started, have ended. */
  async untilEnded(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #start(run: GitRun, hear: (name: "stdout" | "stderr", chunk: Buffer) => void): Started {
    if (this.#closed) throw new GitError("Killed", "Cannot run git: the operator is stopping");
    const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
    const { arguments: words, directory, environment, program = "git", remote } = run;
    const { confine = unconfined } = this.#options;
    const command = confine(run);
    // A process group of its own, so that the processes that git started are signalled too.
    const options = { cwd: directory, env: environment, detached: true };
    const child = spawn(command.file, command.arguments, options);
    // Its output is closed when the processes that inherited it have ended too.
    const closed = once(child, "close").catch(() => undefined);
    const kill = (reason: string): void => {
      reject(new GitError("Killed", `Cannot run ${program} ${words[0] ?? ""}: ${reason}`));
      if (child.pid === undefined) return;
      endGroup(child.pid, { clock: this.#options.clock, isLocal: remote?.protocol === "file" });
      this.#ending.add(closed);
    };
    const started: Started = { child, kill, ended, heardMs: this.#options.clock.now() };
    this.#running.add(started);
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk: Buffer) => {
        started.heardMs = this.#options.clock.now();
        hear(name, chunk);
      });
    }
    child.on("error", reject);
    // It ended before it read all input: its end is reported, not this error.
    child.stdin.on("error", () => {});
    child.on("close", (code) => {
      this.#ending.delete(closed);
      resolve(code ?? 1);
    });
    const forget = () => void this.#running.delete(started);
    ended.then(forget, forget);
    return started;
  }

  /** Kills a process that has no output for too long, or does not end in time. The returned function ends the watch. */
  #watch(started: Started): () => void {
    const { clock, timeoutMs = TIMEOUT_MS } = this.#options;
    started.heardMs = clock.now();
    let cancel = (): void => {};
    const check = (): void => {
      const leftMs = started.heardMs + timeoutMs - clock.now();
      if (leftMs > 0) cancel = clock.schedule(leftMs, check);
      else started.kill(`no output for ${Math.round(timeoutMs / 1_000)} s`);
    };
    check();
    const cancelLife = clock.schedule(timeoutMs * LIFETIME_FACTOR, () => started.kill("it does not end"));
    return () => {
      cancel();
      cancelLife();
    };
  }
}

export interface EndGroupOptions {
  readonly clock: Clock;
  /** Whether the other side of git's connection belongs to the group, because the repository is on this machine. */
  readonly isLocal?: boolean;
}

/**
 * Ends a process group: sends SIGTERM, and SIGKILL to what remains. A git process that is killed while it updates a ref
 * leaves the ref's lock in the repository, and every later push fails; after SIGTERM it removes the lock. A signal during
 * the open(2) that creates the lock leaves it, too, because git registers the lock after that (tempfile.c). So only git
 * itself receives the first signal if the repository is on this machine: its receive-pack ends the update, as on another
 * host.
 *
 * @param leader - Process id of the leader of a process group.
 */
export function endGroup(leader: number, { clock, isLocal = false }: EndGroupOptions): void {
  const endAll = (): void => {
    if (signal(-leader, "SIGTERM")) clock.schedule(GRACE_MS, () => signal(-leader, "SIGKILL"));
  };
  if (!isLocal) endAll();
  else if (signal(-leader, 0)) {
    signal(leader, "SIGTERM");
    clock.schedule(FINISH_MS, endAll);
  }
}

/** @returns Whether the process, or the group of a negative id, existed. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name);
  } catch {
    // It ended by itself in between.
    return false;
  }
}
