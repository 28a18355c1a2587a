import { RenderEndedError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { FairSemaphore } from "../runtime/fair-semaphore.ts";
import { ZoneLostError } from "../zones/errors.ts";

/** A render that lost its process this often is the reason. */
const LOSSES = 3;
/** Other suspects wait this long for one that runs. */
const LONG_MS = 30_000;

/**
 * Finds the render that ends its process. When a process ends, all renders that were under way in it are suspects: they are
 * tried again one at a time, so that the others succeed. While a namespace has suspects, its new renders take turns with them:
 * else one namespace could end the process under each attempt of another one, and have that one blamed.
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #turns = new FairSemaphore({ permits: Number.POSITIVE_INFINITY, young: 1 });
  /** How many suspects each namespace has. */
  readonly #suspects = new Map<string, number>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * Runs a render, again if its process is lost.
   *
   * @throws RenderEndedError when the process is lost each time; ZoneLostError when the render is unwanted by then; whatever
   *   else `render` throws.
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
