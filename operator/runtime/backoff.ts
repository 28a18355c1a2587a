import type { Random } from "../ports.ts";

export interface BackoffSteps {
  readonly initialMs: number;
  readonly factor: number;
  readonly capMs: number;
}

export interface BackoffOptions extends BackoffSteps {
  /** Maximum random addition, as a share of the delay: 1 gives a delay in [d, 2d). */
  readonly jitter: number;
  /** Start again from `initialMs` if no delay was requested during this time. Default: never. */
  readonly resetAfterMs?: number;
}

/** The delay before the next attempt, without jitter. Pure. @param failures Consecutive failures, from 1. */
export function delayAfterFailures(failures: number, { initialMs, factor, capMs }: BackoffSteps): number {
  return Math.min(capMs, initialMs * factor ** (failures - 1));
}

/** An interval that is randomly shorter or longer by up to `share`, so that instances do not act at the same time. */
export function jitterInterval(
  intervalMs: number,
  { share, random }: { readonly share: number; readonly random: Random },
): number {
  return intervalMs * (1 - share + 2 * share * random());
}

/** Computes growing delays (client-go's `ExponentialBackoffManager`). Reads no clock and does not wait. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random;
  #failures = 0;
  #askedAtMs: number | undefined;

  constructor(options: BackoffOptions, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  /** The next delay, in milliseconds. `nowMs` is a reading of the monotonic clock. */
  next(nowMs: number): number {
    const { jitter, resetAfterMs = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#askedAtMs !== undefined && nowMs - this.#askedAtMs > resetAfterMs) this.reset();
    this.#askedAtMs = nowMs;
    this.#failures++;
    return delayAfterFailures(this.#failures, this.#options) * (1 + jitter * this.#random());
  }

  /** Resets the next delay to the first one. */
  reset(): void {
    this.#failures = 0;
  }
}

/** A backoff for each key, without jitter. */
export class BackoffByKey {
  readonly #steps: BackoffSteps;
  readonly #failures = new Map<string, number>();

  constructor(steps: BackoffSteps) {
    this.#steps = steps;
  }

  /** The delay after another failure of this key, in milliseconds. */
  next(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return delayAfterFailures(failures, this.#steps);
  }

  /** Resets the failures of this key. */
  forget(key: string): void {
    this.#failures.delete(key);
  }
}
