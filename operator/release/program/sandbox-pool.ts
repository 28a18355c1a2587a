import type { Clock } from "../../ports.ts";
import type { KernelWalls } from "../../sandbox/kernel-walls.ts";
import type { RunPatience } from "../ports.ts";
import { BlankSandboxes } from "./blank-sandboxes.ts";
import type { Bundle } from "./bundle.ts";
import { FairSlots, type Slot } from "./fair-slots.ts";
import type { LoadedLibraries } from "./libraries.ts";
import { lowerPriority } from "./lower-priority.ts";
import { residentBytes } from "./memory-watch.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import type { SandboxLimits, SandboxProcess } from "./sandbox-process.ts";

export interface SandboxPoolOptions {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  /**
   * Where they do not keep the processes apart, programs of two namespaces never run at the same time, and all processes
   * of one namespace end before one of another namespace starts.
   */
  readonly walls: KernelWalls;
  readonly libraries: () => Promise<LoadedLibraries>;
  /** A process that was not used for this long ends. */
  readonly idleMs: number;
}

export interface SandboxRun {
  readonly namespace: string;
  readonly bundle: Bundle;
  readonly request: string;
  /** Longest run that is asked for. */
  readonly timeoutMs: number;
  /** Longest run that is allowed. */
  readonly longestMs: number;
  readonly patience?: RunPatience;
}

export interface SandboxResult {
  /** What the runs gave: one text, or several if they differ. */
  readonly texts: readonly string[];
  /** Whether the process had run the program before. */
  readonly warm: boolean;
  /** How long it waited for its turn. */
  readonly queuedMs: number;
}

/** Processes that may stay though nobody uses them, beside the one that is nobody's yet. */
const IDLE = 3;
/** A run is waited for so long before another process is started beside its own, which takes a few times as long. */
const WORTH_WAITING_MS = 100;
/** So long after the last run a process is started for whoever comes next: what follows a run needs the processor more. */
const CALM_MS = 500;
/** A process ends after so many runs, whatever it has kept of them. */
const RUNS = 500;

/** A run that took this long ends when a program of another namespace waits for its place. */
const SHARED_MS = 30_000;

interface Idle {
  readonly namespace: string;
  readonly key: string;
  readonly sandbox: SandboxProcess;
  readonly cancel: () => void;
}

/** Sandboxes, warm where that is safe: a process serves one bundle of one namespace, and nothing else ever. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  readonly #blanks: BlankSandboxes;
  readonly #slots: FairSlots;
  readonly #running = new Set<SandboxProcess>();
  /** Per bundle of a namespace: what the next run of it waits for. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Oldest first. */
  #idle: Idle[] = [];
  #cancelWarmUp = (): void => {};
  #isClosed = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
    this.#blanks = new BlankSandboxes(options);
    const { clock, walls } = options;
    this.#slots = new FairSlots({ young: 2, all: 8, perTenant: 4, clock, mixed: walls.keptApart });
  }

  /** There will be something to run in a moment. */
  warmUp(): void {
    this.#blanks.warmUp();
  }

  /**
   * Runs a program, each time in a context of its own; in a process that has not run it before twice, because where two
   * runs were the same, its clock and random numbers are known to be ours.
   *
   * @throws ReleaseError
   */
  async run(run: SandboxRun): Promise<SandboxResult> {
    const { clock } = this.#options;
    const { bundle, namespace, patience } = run;
    const timeoutMs = Math.min(run.timeoutMs, run.longestMs);
    const beganMs = clock.now();
    const key = keyOf(namespace, bundle);
    const letNext = await this.#turn(key);
    const slot = await this.#slots.take(namespace);
    const queuedMs = clock.now() - beganMs;
    let sandbox: SandboxProcess | undefined;
    const over = new AbortController();
    try {
      if (!this.#options.walls.keptApart) await this.#endOthers(namespace);
      sandbox = this.#takeIdle(key) ?? (await this.#bind(bundle));
      this.#running.add(sandbox);
      const onOld = growOld({ sandbox, slot, over: over.signal, clock }, patience);
      if (patience?.isSlow === true) onOld();
      over.signal.addEventListener("abort", clock.schedule(WORTH_WAITING_MS, letNext));
      const warm = sandbox.runs > 0;
      const request = { kind: "run", copies: warm ? 1 : 2, timeoutMs } as const;
      const limit = run.timeoutMs > timeoutMs ? " (the platform's limit)" : "";
      const answer = await sandbox.ask(request, [Buffer.from(run.request)], { timeoutMs, limit, onOld });
      sandbox.runs += 1;
      if (answer.header.kind !== "ran") throw programFailure("its process gave no answer");
      return { texts: answer.parts.map((part) => part.toString("utf8")), warm, queuedMs };
    } finally {
      over.abort();
      if (sandbox !== undefined) this.#putBack(namespace, key, sandbox);
      // Where nothing else keeps processes apart, the next namespace waits until this one has ended.
      if (!this.#options.walls.keptApart && sandbox?.isOver === true) await sandbox.ended;
      slot.release();
      letNext();
      if (this.#turns.size === 0) this.#warmUpSoon();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWarmUp();
    for (const { cancel, sandbox } of this.#idle) {
      cancel();
      sandbox.kill();
    }
    for (const sandbox of this.#running) sandbox.kill();
    await this.#blanks.close();
  }

  /** Waits until the run of this bundle that came before has let the next one in. @returns Lets the next one in. */
  async #turn(key: string): Promise<() => void> {
    const before = this.#turns.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turns.set(key, promise);
    await before;
    return () => {
      resolve();
      if (this.#turns.get(key) === promise) this.#turns.delete(key);
    };
  }

  #warmUpSoon(): void {
    this.#cancelWarmUp();
    if (!this.#isClosed)
      this.#cancelWarmUp = this.#options.clock.schedule(CALM_MS, () => this.#blanks.warmUp());
  }

  #takeIdle(key: string): SandboxProcess | undefined {
    const found = this.#idle.findLast((idle) => idle.key === key && !idle.sandbox.isOver);
    if (found === undefined) return undefined;
    found.cancel();
    this.#idle = this.#idle.filter((idle) => idle !== found);
    return found.sandbox;
  }

  async #endOthers(namespace: string): Promise<void> {
    const others = this.#idle.filter((idle) => idle.namespace !== namespace);
    this.#idle = this.#idle.filter((idle) => idle.namespace === namespace);
    for (const { cancel, sandbox } of others) {
      cancel();
      sandbox.kill();
    }
    await Promise.all(others.map(({ sandbox }) => sandbox.ended));
  }

  async #bind({ needs, code }: Bundle): Promise<SandboxProcess> {
    const sandbox = await this.#blanks.take();
    sandbox.tell({ kind: "program", needs }, [Buffer.from(code)]);
    return sandbox;
  }

  #putBack(namespace: string, key: string, sandbox: SandboxProcess): void {
    const { clock, limits, idleMs } = this.#options;
    this.#running.delete(sandbox);
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
    this.#idle.push({ namespace, key, sandbox, cancel });
    if (this.#idle.length <= IDLE) return;
    const oldest = this.#idle.shift();
    oldest?.cancel();
    oldest?.sandbox.kill();
  }
}

function keyOf(namespace: string, { digest }: Bundle): string {
  return `${namespace}\n${digest}`;
}

interface Run {
  readonly sandbox: SandboxProcess;
  readonly slot: Slot;
  /** Aborts when it has ended. */
  readonly over: AbortSignal;
  readonly clock: Clock;
}

/** What happens when a run is found to take long. */
function growOld({ sandbox, slot, over, clock }: Run, patience: RunPatience | undefined): () => void {
  const giveWay = (): void =>
    sandbox.kill(
      programLimit(
        `it runs longer than ${SHARED_MS / 1_000} s while programs of other namespaces wait; it is run again later`,
      ),
    );
  return () => {
    over.addEventListener(
      "abort",
      clock.schedule(SHARED_MS, () => slot.offer(giveWay)),
    );
    patience?.onSlow();
    if (sandbox.pid !== undefined) lowerPriority(sandbox.pid);
    slot.grow();
    const end = (): void => sandbox.kill(programLimit("it is no longer wanted"));
    if (patience?.unwanted.aborted === true) end();
    else patience?.unwanted.addEventListener("abort", end, { once: true, signal: over });
  };
}
