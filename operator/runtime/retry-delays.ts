const FIRST_DELAY_MS = 5;
const LONGEST_DELAY_MS = 1_000_000;

/** How long a key that fails again and again waits, as in client-go: 5 ms, 10 ms, 20 ms, … 1000 s. */
export class RetryDelays {
  readonly #failures = new Map<string, number>();

  /** The delay after one more failure of this key, in milliseconds. */
  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
  }

  /** The next failure of this key counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }
}
