export interface PaceOptions {
  /** So many may follow each other at once. */
  readonly burst: number;
  /** After that there is one in so many milliseconds. */
  readonly intervalMs: number;
}

/**
 * How often something may happen for each of many keys: a token bucket for each, so that one that wants to happen all
 * the time takes no more of the machine than a few that want to now and then. Times are those of the monotonic clock.
 *
 * Keys are kept in two generations, so that nobody needs to say which of them is over.
 */
export class Pace {
  readonly #intervalMs: number;
  /** After so long without anything a key has its whole burst again. */
  readonly #fullMs: number;
  /** Key → the time at which its bucket will be full again. */
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #turnedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ burst, intervalMs }: PaceOptions) {
    this.#intervalMs = intervalMs;
    this.#fullMs = burst * intervalMs;
  }

  /** How many milliseconds too early it would be now; 0: it is time. */
  earlyMs(key: string, nowMs: number): number {
    return Math.max(0, this.#fullAtMs(key, nowMs) + this.#intervalMs - nowMs - this.#fullMs);
  }

  /** It happens now, early or not. */
  count(key: string, nowMs: number): void {
    if (nowMs - this.#turnedAtMs >= this.#fullMs) {
      this.#older = nowMs - this.#turnedAtMs < 2 * this.#fullMs ? this.#recent : new Map();
      this.#recent = new Map();
      this.#turnedAtMs = nowMs;
    }
    this.#recent.set(key, this.#fullAtMs(key, nowMs) + this.#intervalMs);
  }

  /** The key is gone: its next one starts anew. */
  forget(key: string): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  /** Keys that are remembered: those of the last while. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #fullAtMs(key: string, nowMs: number): number {
    return Math.max(nowMs, this.#recent.get(key) ?? this.#older.get(key) ?? nowMs);
  }
}
