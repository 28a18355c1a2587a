import type { Clock, Random } from "../ports.ts";
import { jitterInterval } from "../runtime/backoff.ts";

export interface PollTimerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly poll: () => void;
}

/** The timer of the next poll of a remote. */
export class PollTimer {
  readonly #options: PollTimerOptions;
  #cancel: (() => void) | undefined;

  constructor(options: PollTimerOptions) {
    this.#options = options;
  }

  get isSet(): boolean {
    return this.#cancel !== undefined;
  }

  /**
   * Polls once an interval has passed since a reading of the clock, by default since now. Chance makes it 5 % shorter or
   * longer, so that those who started together do not poll together. Infinity: no poll.
   */
  setAfterInterval(intervalMs: number, sinceMs = this.#options.clock.now()): void {
    const { clock, random } = this.#options;
    this.set(Math.max(0, sinceMs + jitterInterval(intervalMs, { share: 0.05, random }) - clock.now()));
  }

  /** Polls after a delay, instead of when it was to be before. Infinity: no poll. */
  set(delayMs: number): void {
    this.clear();
    if (!Number.isFinite(delayMs)) return;
    this.#cancel = this.#options.clock.schedule(delayMs, () => {
      this.#cancel = undefined;
      this.#options.poll();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
