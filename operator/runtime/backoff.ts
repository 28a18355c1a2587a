import type { Random } from "../ports.ts";

export interface BackoffOptions {
  readonly initialMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** Share of the delay that chance may add: 1 gives a delay in [d, 2d). */
  readonly jitter: number;
  /** Start again from `initialMs` when nothing asked for a delay for this long; never, unless given. */
  readonly resetAfterMs?: number;
}

/** A source of growing delays (client-go's `ExponentialBackoffManager`). Reads no clock and waits for nothing. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random;
  #nextMs: number;
  #askedAtMs: number | undefined;

  constructor(options: BackoffOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    this.#nextMs = options.initialMs;
  }

  /** The next delay, in milliseconds. `nowMs` is a reading of the monotonic clock. */
  next(nowMs: number): number {
    const { factor, capMs, jitter, resetAfterMs = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#askedAtMs !== undefined && nowMs - this.#askedAtMs > resetAfterMs) this.reset();
    this.#askedAtMs = nowMs;
    const delayMs = this.#nextMs;
    this.#nextMs = Math.min(capMs, delayMs * factor);
    return delayMs * (1 + jitter * this.#random());
  }

  /** The next delay is the first one again. */
  reset(): void {
    this.#nextMs = this.#options.initialMs;
  }
}
