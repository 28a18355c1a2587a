export interface TokenBucketsOptions {
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Time in which a bucket gets one token. */
  readonly intervalMs: number;
  /** At least this many keys are stored, and at most twice as many. Default: no limit. */
  readonly keys?: number;
}

/** Times with fractions of a millisecond are rounded when they are added: a token that is due must not be refused for that. */
const roundingMs = 0.001;

/**
 * A rate limit with a token bucket per key: each key is allowed `burst` times at once, then once per interval. Times
 * are those of the monotonic clock.
 *
 * Keys are stored in two generations, so that full buckets are dropped without a timer.
 */
export class TokenBuckets {
  readonly #intervalMs: number;
  /** Time in which an empty bucket becomes full. */
  readonly #fillMs: number;
  readonly #keys: number;
  /** Key → the time at which its bucket is full again (generic cell rate algorithm). */
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #turnedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ burst, intervalMs, keys = Number.POSITIVE_INFINITY }: TokenBucketsOptions) {
    this.#intervalMs = intervalMs;
    this.#fillMs = burst * intervalMs;
    this.#keys = keys;
  }

  /** Time until the key has a token; 0: it has one. */
  waitMs(key: string, nowMs: number): number {
    const waitMs = this.#fullAtMs(key, nowMs) - nowMs - (this.#fillMs - this.#intervalMs);
    return waitMs < roundingMs ? 0 : waitMs;
  }

  /** Takes a token, if the key has one. */
  take(key: string, nowMs: number): boolean {
    const hasToken = this.waitMs(key, nowMs) === 0;
    const fullAtMs = this.#fullAtMs(key, nowMs);
    this.#remember(key, hasToken ? fullAtMs + this.#intervalMs : fullAtMs, nowMs);
    return hasToken;
  }

  /** Takes a token, also one that the key does not have yet. @returns The time until it has this token. */
  reserve(key: string, nowMs: number): number {
    const waitMs = this.waitMs(key, nowMs);
    this.#remember(key, this.#fullAtMs(key, nowMs) + this.#intervalMs, nowMs);
    return waitMs;
  }

  /** Fills the key's bucket. */
  forget(key: string): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  /** Number of stored keys. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #remember(key: string, fullAtMs: number, nowMs: number): void {
    const ageMs = nowMs - this.#turnedAtMs;
    if (ageMs >= this.#fillMs || (this.#recent.size >= this.#keys && !this.#recent.has(key))) {
      // Buckets of the last generation are full now.
      this.#older = ageMs < 2 * this.#fillMs ? this.#recent : new Map();
      this.#recent = new Map();
      this.#turnedAtMs = nowMs;
    }
    this.#older.delete(key);
    this.#recent.set(key, fullAtMs);
  }

  #fullAtMs(key: string, nowMs: number): number {
    return Math.max(nowMs, this.#recent.get(key) ?? this.#older.get(key) ?? nowMs);
  }
}
