import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../ports.ts";

/** So long may work go on before timers and other work get their turn. */
const SLICE_MS = 8;

/** Cuts work that never waits for anything into slices. */
export class TimeSlice {
  readonly #clock: Clock;
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  get isOver(): boolean {
    return this.#clock.now() - this.#sinceMs > SLICE_MS;
  }

  /** Call it when the slice is over. */
  async next(): Promise<void> {
    await setImmediate();
    this.#sinceMs = this.#clock.now();
  }

  /** Does work that yields where it may rest. */
  async run<Result>(work: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (this.isOver) await this.next();
    }
  }
}
