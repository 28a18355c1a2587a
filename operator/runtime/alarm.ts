import type { Clock } from "../ports.ts";

/** One timer that can be moved to an earlier time. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Fires at `atMs` of the monotonic clock, unless it is set to an earlier time. */
  setFor(atMs: number): void {
    if (this.#atMs <= atMs) return;
    this.clear();
    this.#atMs = atMs;
    this.#cancel = this.#clock.schedule(Math.max(0, atMs - this.#clock.now()), () => {
      this.#atMs = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
