import { toMilliseconds } from "../../crds/duration.ts";
import type { Clock } from "../ports.ts";
import { FairSemaphore, type Permit } from "../runtime/fair-semaphore.ts";
import type { RenderRequest } from "./ports.ts";
import { ProgramQuotas } from "./program-quotas.ts";

export interface RenderQueueOptions {
  readonly clock: Clock;
  /** Maximum duration of a run of a program, overriding the resource's own timeout. */
  readonly longestProgramMs: number;
  /** Programs of the namespace wait for their quota: {@link RenderQueue.quotas} returns until when. */
  readonly onUsedUp: (namespace: string) => void;
}

/** The period in which a render runs. */
export interface RenderTurn {
  /** Called when the program's process has started or finished the work for it. */
  readonly note: (isRunning: boolean) => void;
  readonly end: () => void;
}

/** Maximum number of concurrent renders of one namespace. Renders of folders mostly wait for git. */
const [MANIFEST_PERMITS, PROGRAM_PERMITS] = [8, 4];
const without = Number.POSITIVE_INFINITY;
/** Delay of renders that were slow: their process and bundling should not compete for the CPU right after a push. */
const SLOW_PAUSE_MS = 500;

/** Renders that wait for a permit of their namespace and, if they run a program, for its quota. */
export class RenderQueue {
  readonly quotas: ProgramQuotas;
  /** Keys of resources whose programs run long. */
  readonly slowKeys = new Set<string>();
  readonly #options: RenderQueueOptions;
  // Namespaces do not wait for each other here: shared resources are limited where they are used.
  readonly #manifests = new FairSemaphore({ permits: without, perTenant: MANIFEST_PERMITS });
  readonly #programs = new FairSemaphore({ permits: without, perTenant: PROGRAM_PERMITS });
  readonly #slowPrograms = new FairSemaphore({ permits: without, perTenant: 1 });

  constructor(options: RenderQueueOptions) {
    this.#options = options;
    this.quotas = new ProgramQuotas(options);
  }

  /**
   * Calls `begin` as soon as the render may run, perhaps at once. @returns A function that cancels the request, if the
   * render has not started.
   */
  ask(request: RenderRequest, begin: (turn: RenderTurn) => void): () => void {
    const { render, namespace, key } = request;
    let leave = (): void => {};
    const wait = (semaphore: FairSemaphore): void => {
      let hasPermit = false;
      const cancel = semaphore.request(namespace, (permit) => {
        hasPermit = true;
        leave = this.#begin(request, permit, begin);
      });
      if (!hasPermit) leave = cancel;
    };
    if (render.program === undefined) wait(this.#manifests);
    else if (!this.slowKeys.has(key)) wait(this.#programs);
    else leave = this.#options.clock.schedule(SLOW_PAUSE_MS, () => wait(this.#slowPrograms));
    return () => leave();
  }

  /** Programs over the quota of their namespace wait with their permits, which only that namespace uses. */
  #begin(
    { render: { program }, namespace }: RenderRequest,
    permit: Permit,
    begin: (turn: RenderTurn) => void,
  ): () => void {
    if (program === undefined) {
      begin({ note: () => {}, end: () => permit.release() });
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
      begin({ note: run.note, end });
    });
    return () => {
      if (hasBegun) return;
      leave();
      permit.release();
    };
  }
}
