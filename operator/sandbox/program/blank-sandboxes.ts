import { existsSync } from "node:fs";
import type { Clock } from "../../ports.ts";
import type { KernelIsolation } from "../kernel-isolation.ts";
import type { LoadedLibraries } from "./libraries.ts";
import { type SandboxLimits, SandboxProcess } from "./sandbox-process.ts";

export interface BlankSandboxesOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly isolation: KernelIsolation;
  readonly libraries: () => Promise<LoadedLibraries>;
  /** A sandbox that is unused for this time ends. */
  readonly idleMs: number;
}

/** Timeout for loading the libraries, which takes a fraction of a second, or a few seconds on a busy machine. */
const LOAD_MS = 60_000;
const prlimitPath = "/usr/bin/prlimit";

/**
 * Keeps one sandbox ready that has loaded the libraries and is not assigned to a program. The second sandbox first runs
 * a program of the operator, and shares V8's compiled code with all later ones; code is never taken from a sandbox that
 * ran a program of a tenant.
 */
export class BlankSandboxes {
  readonly #options: BlankSandboxesOptions;
  readonly #prlimit = existsSync(prlimitPath) ? prlimitPath : undefined;
  readonly #starting = new Set<SandboxProcess>();
  #blank: Promise<SandboxProcess> | undefined;
  #caches: readonly Buffer[] | undefined;
  #started = 0;
  #startMs = 0;
  #cancelIdle = (): void => {};
  #isClosed = false;

  constructor(options: BlankSandboxesOptions) {
    this.#options = options;
  }

  /** How long the start of the last sandbox took, in milliseconds. Before the first one: 0. */
  get startMs(): number {
    return this.#startMs;
  }

  /** Call it when a run is expected soon. */
  warmUp(): void {
    if (this.#isClosed) return;
    this.#cancelIdle();
    this.#cancelIdle = this.#options.clock.schedule(this.#options.idleMs, () => this.#drop());
    if (this.#blank !== undefined) return;
    const blank = this.#start();
    this.#blank = blank;
    blank.catch(() => {
      if (this.#blank === blank) this.#blank = undefined;
    });
  }

  /** Returns the sandbox that is ready or being prepared. From then on the caller owns it. */
  async take(): Promise<SandboxProcess> {
    for (;;) {
      this.warmUp();
      const blank = this.#blank;
      this.#blank = undefined;
      if (blank === undefined) throw new Error("Cannot run a program: the operator is stopping");
      const sandbox = await blank;
      // It may have been killed since it became ready.
      if (!sandbox.isOver) return sandbox;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdle();
    for (const sandbox of this.#starting) sandbox.kill();
    this.#drop();
    await Promise.allSettled([this.#blank]);
  }

  #drop(): void {
    const blank = this.#blank;
    this.#blank = undefined;
    blank?.then((sandbox) => sandbox.kill()).catch(() => {});
  }

  async #start(): Promise<SandboxProcess> {
    const { clock, limits, isolation, libraries } = this.#options;
    const { runner, warmUp, libraries: codes } = await libraries();
    if (this.#isClosed) throw new Error("Cannot run a program: the operator is stopping");
    this.#started += 1;
    const beganMs = clock.now();
    const sandbox = new SandboxProcess({ clock, limits, runner, isolation, prlimit: this.#prlimit });
    this.#starting.add(sandbox);
    try {
      const parts = codes.flatMap(({ code }, index) => [
        Buffer.from(code),
        this.#caches?.[index] ?? Buffer.alloc(0),
      ]);
      const names = codes.map(({ name }) => name);
      await sandbox.ask({ kind: "libraries", names }, parts, { timeoutMs: LOAD_MS });
      this.#startMs = clock.now() - beganMs;
      if (this.#caches === undefined && this.#started > 1) {
        sandbox.tell({ kind: "program", needs: names }, [Buffer.from(warmUp)]);
        const request = JSON.stringify({ entry: "", seed: "", objects: 100, characters: 1_000_000 });
        const run = { kind: "run", copies: 1, timeoutMs: LOAD_MS } as const;
        await sandbox.ask(run, [Buffer.from(request)], { timeoutMs: LOAD_MS });
        this.#caches = (await sandbox.ask({ kind: "caches" }, [], { timeoutMs: LOAD_MS })).parts;
      }
      return sandbox;
    } catch (error) {
      // No program caused this, and the next attempt may succeed.
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Cannot start a process for programs: ${reason}`, { cause: error });
    } finally {
      this.#starting.delete(sandbox);
    }
  }
}
