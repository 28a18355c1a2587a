import type { Clock } from "../ports.ts";
import { RenderEndedError } from "../release/errors.ts";
import { FairSlots } from "../release/program/fair-slots.ts";
import { ZoneLostError } from "../zones/errors.ts";

/** A render that lost its process this often is the reason. */
const LOSSES = 3;
/** Other suspects wait this long for one that runs. */
const LONG_MS = 30_000;

/**
 * Finds the render that ends its process. When a process ends, all renders that were under way in it are suspects: they are
 * tried again one at a time, so that the others succeed.
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #slots = new FairSlots({ all: Number.POSITIVE_INFINITY, young: 1 });

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
    for (let losses = 0; ; ) {
      try {
        return await (losses === 0 ? render() : this.#runAlone(namespace, render));
      } catch (error) {
        if (!(error instanceof ZoneLostError) || unwanted.aborted) throw error;
        if (++losses >= LOSSES) throw new RenderEndedError();
      }
    }
  }

  async #runAlone<Value>(namespace: string, render: () => Promise<Value>): Promise<Value> {
    const slot = await this.#slots.take(namespace);
    const stopWaiting = this.#clock.schedule(LONG_MS, () => slot.grow());
    try {
      return await render();
    } finally {
      stopWaiting();
      slot.release();
    }
  }
}
