import type { Clock } from "../../ports.ts";
import type { RunPatience } from "../../render/ports.ts";
import { FairSemaphore, type Permit } from "../../runtime/fair-semaphore.ts";
import type { KernelIsolation } from "../kernel-isolation.ts";
import { BlankSandboxes } from "./blank-sandboxes.ts";
import type { Bundle } from "./bundle.ts";
import { IdleSandboxes } from "./idle-sandboxes.ts";
import type { LoadedLibraries } from "./libraries.ts";
import { lowerPriority as lowerHere } from "./lower-priority.ts";
import { residentBytes } from "./memory-watch.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import type { MemoryGrant, ProgramMemory } from "./program-memory.ts";
import { IDLE_SHARE, type SandboxLimits, type SandboxProcess } from "./sandbox-process.ts";

export interface SandboxPoolOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  /**
   * Without essential isolation, programs of two namespaces never run at the same time, and all processes of one
   * namespace end before one of another namespace starts.
   */
  readonly isolation: KernelIsolation;
  readonly libraries: () => Promise<LoadedLibraries>;
  readonly memory: ProgramMemory;
  /** A process that was not used for this time ends. */
  readonly idleMs: number;
  /** Lowers the CPU priority of a process. Default: this process does it itself. */
  readonly lowerPriority?: ((pid: number) => void) | undefined;
}

export interface SandboxRun {
  readonly namespace: string;
  readonly bundle: Bundle;
  readonly request: string;
  /** Requested timeout. */
  readonly timeoutMs: number;
  /** Maximum timeout. */
  readonly longestMs: number;
  readonly patience?: RunPatience;
}

export interface SandboxResult {
  /** Output of the runs: one, or several if they differ. In bytes: to decode 16 MiB takes 0.1 s. */
  readonly outputs: readonly Buffer[];
  /** Whether the process had run the program before. */
  readonly warm: boolean;
  /** How long it waited in the queue. */
  readonly queuedMs: number;
}

/** See {@link worthWaitingMs}. */
const waits = { shortestMs: 100, shareOfStart: 0.5, longestMs: 1_000 };
/** Delay after the last run until a spare process starts: applying the result of the run has precedence on the CPU. */
const CALM_MS = 500;
/** A process ends after this number of runs, to limit what accumulates in it. */
const RUNS = 500;

/** A run that took this long is ended when a program of another namespace waits for its permit. */
const SHARED_MS = 30_000;

/** Sandboxes, which are reused where that is safe: a process serves one bundle of one namespace, and nothing else. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  readonly #blanks: BlankSandboxes;
  readonly #processes: FairSemaphore;
  readonly #running = new Set<SandboxProcess>();
  /** Per bundle of a namespace: one run at a time, until that run allows the next one to start. */
  readonly #turns = new FairSemaphore({ permits: Number.POSITIVE_INFINITY, perTenant: 1 });
  readonly #idle: IdleSandboxes;
  #cancelWarmUp = (): void => {};
  #isClosed = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
    this.#blanks = new BlankSandboxes(options);
    this.#idle = new IdleSandboxes(options);
    const { clock, isolation } = options;
    this.#processes = new FairSemaphore({
      young: 2,
      permits: 8,
      perTenant: 4,
      clock,
      mixed: isolation.keptApart,
    });
  }

  /** Call it when a run is expected soon. */
  warmUp(): void {
    this.#blanks.warmUp();
  }

  /**
   * Runs a program, each time in a new context. In a process that has not run it before it runs twice: if both results
   * are equal, the program uses only the fixed clock and random numbers.
   *
   * @throws SourceError
   */
  async run(run: SandboxRun): Promise<SandboxResult> {
    const { clock, memory, limits } = this.#options;
    const { bundle, namespace } = run;
    const beganMs = clock.now();
    const key = keyOf(namespace, bundle);
    const { release: letNext } = await this.#turns.acquire(key);
    try {
      return await memory.run({ namespace, key, mostMiB: limits.memoryMiB }, async (grant) => {
        const permit = await this.#processes.acquire(namespace);
        try {
          const queuedMs = clock.now() - beganMs;
          return { ...(await this.#runIn(run, { key, permit, grant, letNext })), queuedMs };
        } finally {
          permit.release();
        }
      });
    } finally {
      letNext();
      if (this.#turns.held === 0) this.#warmUpSoon();
    }
  }

  async #runIn(
    run: SandboxRun,
    { key, permit, grant, letNext }: Place,
  ): Promise<Omit<SandboxResult, "queuedMs">> {
    const { clock, memory, isolation } = this.#options;
    const { bundle, namespace, patience } = run;
    const timeoutMs = Math.min(run.timeoutMs, run.longestMs);
    let sandbox: SandboxProcess | undefined;
    const over = new AbortController();
    try {
      if (!isolation.keptApart) await this.#idle.endOthers(namespace);
      sandbox = this.#idle.take(key);
      await this.#idle.shrinkTo(memory.freeMiB);
      sandbox ??= await this.#bind(bundle);
      this.#running.add(sandbox);
      const { lowerPriority = lowerHere } = this.#options;
      const permits = [permit, grant.permit];
      const onOld = handleSlowRun({ sandbox, permits, over: over.signal, clock, lowerPriority }, patience);
      if (patience?.isSlow === true) onOld();
      const waitMs = worthWaitingMs(this.#blanks.startMs);
      over.signal.addEventListener("abort", clock.schedule(waitMs, letNext));
      const warm = sandbox.runs > 0;
      const request = { kind: "run", copies: warm ? 1 : 2, timeoutMs } as const;
      const limit = run.timeoutMs > timeoutMs ? " (the platform's limit)" : "";
      const shareMiB = grant.isShare ? grant.limitMiB : undefined;
      const options = { timeoutMs, limit, shareMiB, onOld };
      patience?.onRunning?.(true);
      const answer = await sandbox.ask(request, [Buffer.from(run.request)], options);
      sandbox.runs += 1;
      if (answer.header.kind !== "ran") throw programFailure("its process did not respond");
      return { outputs: answer.parts, warm };
    } finally {
      patience?.onRunning?.(false);
      over.abort();
      if (sandbox !== undefined) this.#putBack(namespace, key, sandbox);
      // Its memory is free only after its end, and without isolation the next process may start only then.
      if (sandbox?.isOver === true) await sandbox.ended;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWarmUp();
    this.#idle.close();
    for (const sandbox of this.#running) sandbox.kill();
    await this.#blanks.close();
  }

  #warmUpSoon(): void {
    this.#cancelWarmUp();
    if (!this.#isClosed)
      this.#cancelWarmUp = this.#options.clock.schedule(CALM_MS, () => this.#blanks.warmUp());
  }

  async #bind({ needs, code }: Bundle): Promise<SandboxProcess> {
    const sandbox = await this.#blanks.take();
    sandbox.tell({ kind: "program", needs }, [Buffer.from(code)]);
    return sandbox;
  }

  #putBack(namespace: string, key: string, sandbox: SandboxProcess): void {
    const { limits } = this.#options;
    this.#running.delete(sandbox);
    const { pid } = sandbox;
    const bytes = (pid === undefined ? undefined : residentBytes(pid)) ?? 0;
    const isFull = bytes > limits.memoryMiB * IDLE_SHARE * 2 ** 20;
    if (this.#isClosed || sandbox.isOver || sandbox.runs >= RUNS || isFull) sandbox.kill();
    else this.#idle.put({ namespace, key, sandbox });
  }
}

/**
 * How long to wait for a run of the same program before another process starts for the next one, in milliseconds. It depends
 * on the machine: where a start takes long, a run does, too, and the start would delay it even more. Pure.
 *
 * @param startMs How long the start of a process took.
 */
export function worthWaitingMs(startMs: number): number {
  return Math.min(Math.max(waits.shortestMs, waits.shareOfStart * startMs), waits.longestMs);
}

function keyOf(namespace: string, { digest }: Bundle): string {
  return `${namespace}\n${digest}`;
}

interface Place {
  readonly key: string;
  readonly permit: Permit;
  readonly grant: MemoryGrant;
  /** Allows the next run of the same program to start. */
  readonly letNext: () => void;
}

interface Run {
  readonly sandbox: SandboxProcess;
  readonly permits: readonly Permit[];
  /** Aborts when the run has ended. */
  readonly over: AbortSignal;
  readonly clock: Clock;
  readonly lowerPriority: (pid: number) => void;
}

/** Handles a run that takes long. */
function handleSlowRun(
  { sandbox, permits, over, clock, lowerPriority }: Run,
  patience: RunPatience | undefined,
): () => void {
  const preempt = (): void =>
    sandbox.kill(
      programLimit(
        `it runs longer than ${SHARED_MS / 1_000} s while programs of other namespaces wait; it will run again later`,
      ),
    );
  return () => {
    over.addEventListener(
      "abort",
      clock.schedule(SHARED_MS, () => {
        for (const permit of permits) permit.offer(preempt);
      }),
    );
    patience?.onSlow();
    if (sandbox.pid !== undefined) lowerPriority(sandbox.pid);
    for (const permit of permits) permit.grow();
    const end = (): void => sandbox.kill(programLimit("it is no longer needed"));
    if (patience?.unwanted.aborted === true) end();
    else patience?.unwanted.addEventListener("abort", end, { once: true, signal: over });
  };
}
