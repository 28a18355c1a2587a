import { RenderEndedError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { FairSemaphore } from "../runtime/fair-semaphore.ts";
import { ZoneLostError } from "../zones/errors.ts";

/** A render that lost its process this often is considered the cause. */
const LOSSES = 3;
/** Other suspects wait at most this long for a running one. */
const LONG_MS = 30_000;

/**
 * Finds the render that crashes its process. When a process ends, all renders that were running in it are suspects: they
 * are repeated one at a time, so that the others succeed. While a namespace has suspects, its new renders alternate with
 * them: otherwise one namespace could crash the process during each attempt of another one, which would then be
 * considered the cause.
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #turns = new FairSemaphore({ permits: Number.POSITIVE_INFINITY, young: 1 });
  /** Number of suspects of each namespace. */
  readonly #suspects = new Map<string, number>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * Runs a render, and repeats it if its process is lost.
   *
   * @throws RenderEndedError when the process is lost each time; ZoneLostError when the render is unwanted by then;
   * other errors of `render`.
   */
  async run<Value>(namespace: string, unwanted: AbortSignal, render: () => Promise<Value>): Promise<Value> {
    let losses = 0;
    try {
      for (;;) {
        const mustTakeTurns = losses > 0 || this.#suspects.has(namespace);
        try {
          return await (mustTakeTurns ? this.#runAlone(namespace, render) : render());
        } catch (error) {
          if (!(error instanceof ZoneLostError) || unwanted.aborted) throw error;
          if (++losses === 1) this.#count(namespace, 1);
          if (losses >= LOSSES) throw new RenderEndedError();
        }
      }
    } finally {
      if (losses > 0) this.#count(namespace, -1);
    }
  }

  #count(namespace: string, change: number): void {
    const count = (this.#suspects.get(namespace) ?? 0) + change;
    if (count === 0) this.#suspects.delete(namespace);
    else this.#suspects.set(namespace, count);
  }

  async #runAlone<Value>(namespace: string, render: () => Promise<Value>): Promise<Value> {
    const permit = await this.#turns.acquire(namespace);
    const stopWaiting = this.#clock.schedule(LONG_MS, () => permit.grow());
    try {
      return await render();
    } finally {
      stopWaiting();
      permit.release();
    }
  }
}
