import { setPriority } from "node:os";
import type { Clock } from "../../ports.ts";
import type { RunPatience } from "../ports.ts";
import { BlankSandboxes } from "./blank-sandboxes.ts";
import type { Bundle } from "./bundle.ts";
import { FairSlots, type Slot } from "./fair-slots.ts";
import type { LoadedLibraries } from "./libraries.ts";
import { residentBytes } from "./memory-watch.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import type { SandboxLimits, SandboxProcess } from "./sandbox-process.ts";

export interface SandboxPoolOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly libraries: () => Promise<LoadedLibraries>;
  /** A process that nobody has used for so long ends. */
  readonly idleMs: number;
}

export interface SandboxRun {
  readonly tenant: string;
  readonly bundle: Bundle;
  readonly request: string;
  readonly copies: number;
  readonly timeoutMs: number;
  readonly patience?: RunPatience;
}

export interface SandboxResult {
  /** What the runs gave: one text, or several if they differ. */
  readonly texts: readonly string[];
  /** How long it waited for its turn. */
  readonly queuedMs: number;
}

/** Processes that may stay though nobody uses them, beside the one that is nobody's yet. */
const IDLE = 3;
/** A process ends after so many runs, whatever it has kept of them. */
const RUNS = 500;
/** What a run that takes long gets of the processor: what is left. */
const LOWEST_PRIORITY = 19;

interface Idle {
  readonly key: string;
  readonly sandbox: SandboxProcess;
  readonly cancel: () => void;
}

/** Sandboxes, warm where that is safe: a process serves one bundle of one tenant, and nothing else ever. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  readonly #blanks: BlankSandboxes;
  readonly #slots = new FairSlots({ young: 2, all: 8, perTenant: 4 });
  readonly #running = new Set<SandboxProcess>();
  /** Oldest first. */
  #idle: Idle[] = [];
  #isClosed = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
    this.#blanks = new BlankSandboxes(options);
  }

  /** There will be something to run in a moment. */
  warmUp(): void {
    this.#blanks.warmUp();
  }

  /** Whether a process that has run this bundle waits for more. */
  isWarm({ tenant, bundle }: Pick<SandboxRun, "tenant" | "bundle">): boolean {
    const key = keyOf(tenant, bundle);
    return this.#idle.some((idle) => idle.key === key);
  }

  /**
   * Runs a program once or more, each time in a context of its own.
   *
   * @throws ReleaseError
   */
  async run(run: SandboxRun): Promise<SandboxResult> {
    const { bundle, tenant, copies, timeoutMs, patience } = run;
    const beganMs = this.#options.clock.now();
    const slot = await this.#slots.take(tenant);
    const queuedMs = this.#options.clock.now() - beganMs;
    const key = keyOf(tenant, bundle);
    let sandbox: SandboxProcess | undefined;
    const over = new AbortController();
    try {
      sandbox = this.#takeIdle(key) ?? (await this.#bind(bundle));
      this.#running.add(sandbox);
      const onOld = growOld({ sandbox, slot, over: over.signal }, patience);
      if (patience?.isSlow === true) onOld();
      const request = Buffer.from(run.request);
      const answer = await sandbox.ask({ kind: "run", copies, timeoutMs }, [request], { timeoutMs, onOld });
      sandbox.runs += 1;
      if (answer.header.kind !== "ran") throw programFailure("its process gave no answer");
      return { texts: answer.parts.map((part) => part.toString("utf8")), queuedMs };
    } finally {
      over.abort();
      slot.release();
      if (sandbox !== undefined) this.#putBack(key, sandbox);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel, sandbox } of this.#idle) {
      cancel();
      sandbox.kill();
    }
    for (const sandbox of this.#running) sandbox.kill();
    await this.#blanks.close();
  }

  #takeIdle(key: string): SandboxProcess | undefined {
    const found = this.#idle.findLast((idle) => idle.key === key && !idle.sandbox.isOver);
    if (found === undefined) return undefined;
    found.cancel();
    this.#idle = this.#idle.filter((idle) => idle !== found);
    return found.sandbox;
  }

  async #bind({ needs, code }: Bundle): Promise<SandboxProcess> {
    const sandbox = await this.#blanks.take();
    sandbox.tell({ kind: "program", needs }, [Buffer.from(code)]);
    return sandbox;
  }

  #putBack(key: string, sandbox: SandboxProcess): void {
    const { clock, limits, idleMs } = this.#options;
    this.#running.delete(sandbox);
    this.#blanks.warmUp();
    const bytes = sandbox.pid === undefined ? undefined : residentBytes(sandbox.pid);
    const isFull = (bytes ?? 0) > (limits.memoryMiB * 2 ** 20) / 2;
    if (this.#isClosed || sandbox.isOver || sandbox.runs >= RUNS || isFull) {
      sandbox.kill();
      return;
    }
    const cancel = clock.schedule(idleMs, () => {
      this.#idle = this.#idle.filter((idle) => idle.sandbox !== sandbox);
      sandbox.kill();
    });
    this.#idle.push({ key, sandbox, cancel });
    if (this.#idle.length <= IDLE) return;
    const oldest = this.#idle.shift();
    oldest?.cancel();
    oldest?.sandbox.kill();
  }
}

function keyOf(tenant: string, { digest }: Bundle): string {
  return `${tenant}\n${digest}`;
}

interface Run {
  readonly sandbox: SandboxProcess;
  readonly slot: Slot;
  /** Aborts when it has ended. */
  readonly over: AbortSignal;
}

/** What happens when a run is found to take long. */
function growOld({ sandbox, slot, over }: Run, patience: RunPatience | undefined): () => void {
  return () => {
    patience?.onSlow();
    lowerPriority(sandbox.pid);
    slot.grow();
    const end = (): void => sandbox.kill(programLimit("it is no longer wanted"));
    if (patience?.unwanted.aborted === true) end();
    else patience?.unwanted.addEventListener("abort", end, { once: true, signal: over });
  };
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, LOWEST_PRIORITY);
  } catch {
    // It ended in between.
  }
}
