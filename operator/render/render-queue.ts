import { toMilliseconds } from "../../crds/duration.ts";
import type { Clock } from "../ports.ts";
import { FairSemaphore, type Permit } from "../runtime/fair-semaphore.ts";
import type { RenderRequest, RunPatience } from "./ports.ts";
import { ProgramQuotas } from "./program-quotas.ts";
import { RenderCooldowns } from "./render-cooldowns.ts";

export interface RenderQueueOptions {
  readonly clock: Clock;
  /** Maximum duration of a run of a program, overriding the resource's own timeout. */
  readonly longestProgramMs: number;
  /** Programs of the namespace wait for their quota: {@link RenderQueue.quotas} returns until when. */
  readonly onUsedUp: (namespace: string) => void;
}

/** The period in which a render runs. */
export interface RenderTurn {
  /** Passed to the runner: they measure the work. */
  readonly callbacks: Required<Pick<RunPatience, "onRunning" | "onWorked">>;
  /** @param result.isWasted Whether it reached a limit, or was cancelled because its result was no longer needed. */
  readonly end: (result: { readonly isWasted: boolean }) => void;
}

/** Maximum number of concurrent renders of one namespace. Renders of folders mostly wait for git. */
const [MANIFEST_PERMITS, PROGRAM_PERMITS] = [8, 4];
const without = Number.POSITIVE_INFINITY;
/** Delay of renders that were slow: their process and bundling should not compete for the CPU right after a push. */
const SLOW_PAUSE_MS = 500;

/**
 * Renders that wait for a permit of their namespace, for the delay after an expensive one and, if they run a program, for its
 * quota.
 */
export class RenderQueue {
  readonly quotas: ProgramQuotas;
  /** Keys of resources whose programs run long. */
  readonly slowKeys = new Set<string>();
  readonly #options: RenderQueueOptions;
  // Namespaces do not wait for each other here: shared resources are limited where they are used.
  readonly #manifests = new FairSemaphore({ permits: without, perTenant: MANIFEST_PERMITS });
  readonly #programs = new FairSemaphore({ permits: without, perTenant: PROGRAM_PERMITS });
  readonly #cooldowns: RenderCooldowns;
  readonly #slowPrograms = new FairSemaphore({ permits: without, perTenant: 1 });

  constructor(options: RenderQueueOptions) {
    this.#options = options;
    this.quotas = new ProgramQuotas(options);
    this.#cooldowns = new RenderCooldowns(options.clock);
  }

  /**
   * Calls `begin` as soon as the render may run, perhaps at once. @returns A function that cancels the request, if the
   * render has not started.
   */
  ask(request: RenderRequest, begin: (turn: RenderTurn) => void): () => void {
    const { render, namespace, key } = request;
    let leave = (): void => {};
    const after = (delayMs: number, next: () => void): void => {
      if (delayMs > 0) leave = this.#options.clock.schedule(delayMs, next);
      else next();
    };
    const wait = (semaphore: FairSemaphore, next: (permit: Permit) => void): void => {
      let hasPermit = false;
      const cancel = semaphore.request(namespace, (permit) => {
        hasPermit = true;
        next(permit);
      });
      if (!hasPermit) leave = cancel;
    };
    const start = (permit: Permit): void => {
      leave = this.#begin(request, permit, begin);
    };
    // It keeps its permit during the delay, because the other slow programs of the namespace have to wait for the same.
    const startSlow = (permit: Permit): void => {
      const delayMs = this.#cooldowns.ofSlowPrograms(namespace);
      after(delayMs, () => start(permit));
      if (delayMs === 0) return;
      const cancel = leave;
      leave = () => {
        cancel();
        permit.release();
      };
    };
    const isSlow = render.program !== undefined && this.slowKeys.has(key);
    const queue = (): void => {
      // An earlier render of the resource may have ended in the meantime.
      const delayMs = this.#cooldowns.ofKey(key);
      if (delayMs > 0) after(delayMs, queue);
      else if (isSlow) wait(this.#slowPrograms, startSlow);
      else wait(render.program === undefined ? this.#manifests : this.#programs, start);
    };
    after(isSlow ? SLOW_PAUSE_MS : 0, queue);
    return () => leave();
  }

  /** Programs over the quota of their namespace wait with their permits, which only that namespace uses. */
  #begin(request: RenderRequest, permit: Permit, begin: (turn: RenderTurn) => void): () => void {
    const { render, namespace } = request;
    const { program } = render;
    if (program === undefined) {
      begin(this.#turnOf(request, { note: () => {}, end: () => permit.release() }));
      return () => {};
    }
    const mostMs = Math.min(toMilliseconds(program.timeout), this.#options.longestProgramMs);
    let hasBegun = false;
    const leave = this.quotas.ask(namespace, mostMs, (run) => {
      hasBegun = true;
      const end = (): void => {
        permit.release();
        run.end();
      };
      begin(this.#turnOf(request, { note: run.note, end }));
    });
    return () => {
      if (hasBegun) return;
      leave();
      permit.release();
    };
  }

  /** Measures the work of a render, which may delay the next one of its resource. */
  #turnOf(
    { key, namespace, render }: RenderRequest,
    quotaRun: { readonly note: (isRunning: boolean) => void; readonly end: () => void },
  ): RenderTurn {
    const { clock } = this.#options;
    const way = render.program === undefined ? "manifests" : "program";
    let [workedMs, sinceMs]: [number, number | undefined] = [0, undefined];
    const note = (isRunning: boolean): void => {
      if (sinceMs !== undefined) workedMs += clock.now() - sinceMs;
      sinceMs = isRunning ? clock.now() : undefined;
      quotaRun.note(isRunning);
    };
    const onWorked = (ms: number): void => {
      workedMs += ms;
    };
    return {
      callbacks: { onRunning: note, onWorked },
      end: ({ isWasted }) => {
        note(false);
        this.#cooldowns.note({ key, namespace, way, workedMs, isWasted });
        // After the note: this may start the next render at once, and the delay applies to it.
        quotaRun.end();
      },
    };
  }
}
