import { type ChildProcess, spawn } from "node:child_process";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../ports.ts";

export interface GitRun {
  readonly arguments: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Written to its standard input, piece by piece as it takes them. */
  readonly input?: Iterable<string>;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git process was ended by us: it said nothing for too long, or we are closing. */
export class GitKilledError extends Error {
  override readonly name = "GitKilledError";
}

/** Most that is kept of what a process says: a remote must not fill our memory. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
/** So much is written at a time. */
const PIECE_LENGTH = 64 * 1024;
/** However much it says, it ends after so many times the silence that is allowed. */
const LIFETIME_FACTOR = 10;

export interface GitProcessesOptions {
  readonly clock: Clock;
  /** A process that says nothing for so long is killed. */
  readonly timeoutMs: number;
}

/**
 * Runs git for what may hang: the remote, and fast-import, which reads a stream. simple-git reads our own clone
 * (git-cache.ts), but not these: it kills only git itself and leaves the ssh or the receive-pack behind it alive, its
 * timer is not our clock, and its environment guards would all have to be turned off.
 */
export class GitProcesses {
  readonly #options: GitProcessesOptions;
  readonly #running = new Map<ChildProcess, (reason: string) => void>();
  #closed = false;

  constructor(options: GitProcessesOptions) {
    this.#options = options;
  }

  /**
   * @returns What git said, whatever its exit code.
   * @throws GitKilledError when it hung; the system's error when git could not be started.
   */
  async run(run: GitRun): Promise<GitResult> {
    if (this.#closed) throw new GitKilledError("Cannot run git: the operator is stopping");
    const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
    // A process group of its own, so that what git started goes with it.
    const child = spawn("git", run.arguments, { cwd: run.directory, env: run.environment, detached: true });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const kill = (reason: string): void => {
      reject(new GitKilledError(`Cannot run git ${run.arguments[0] ?? ""}: ${reason}`));
      killGroup(child);
    };
    const watchdog = this.#watch(kill);
    this.#running.set(child, kill);
    let bytes = 0;
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk: Buffer) => {
        watchdog.heard();
        bytes += chunk.length;
        if (bytes > OUTPUT_BYTES) kill("it said more than can be true");
        else output[name].push(chunk);
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      const [stdout, stderr] = [
        Buffer.concat(output.stdout).toString(),
        Buffer.concat(output.stderr).toString(),
      ];
      resolve({ exitCode: code ?? 1, stdout, stderr });
    });
    void feed(child.stdin, run.input ?? []);
    try {
      return await promise;
    } finally {
      watchdog.stop();
      this.#running.delete(child);
    }
  }

  /** Ends everything that runs, at once. */
  close(): void {
    this.#closed = true;
    for (const kill of this.#running.values()) kill("the operator is stopping");
  }

  #watch(kill: (reason: string) => void): { heard(): void; stop(): void } {
    const { clock, timeoutMs } = this.#options;
    const silence = (): (() => void) =>
      clock.schedule(timeoutMs, () => kill(`no answer for ${Math.round(timeoutMs / 1_000)} s`));
    let cancel = silence();
    let heardMs = clock.now();
    const cancelLife = clock.schedule(timeoutMs * LIFETIME_FACTOR, () => kill("it does not come to an end"));
    return {
      heard() {
        // Not for every line of a long fetch: setting a timer costs more than the line.
        if (clock.now() - heardMs < 1_000) return;
        heardMs = clock.now();
        cancel();
        cancel = silence();
      },
      stop() {
        cancel();
        cancelLife();
      },
    };
  }
}

async function feed(stdin: Writable, input: Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(joinPieces(input)), stdin);
  } catch {
    // The process ended before it read everything; its exit code and its words say why.
  }
}

/** Thousands of short pieces would be as many writes. */
function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = "";
  }
  yield text;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself in between.
  }
}
