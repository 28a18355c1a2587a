/** What client-go allows one object: so many events at once, and then one in five minutes. */
const burst = 25;
const refillMs = 5 * 60_000;
/** Objects remembered at most; the one that was quiet for longest goes first. */
const mostObjects = 4_096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Bounds how many events one object gets, whatever goes on with it. */
export class EventLimits {
  /** By uid; the one that was asked for last comes last. */
  readonly #buckets = new Map<string, Bucket>();

  /** Whether the object may have one more event. */
  take(uid: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(uid) ?? { tokens: burst, atMs: nowMs };
    this.#buckets.delete(uid);
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / refillMs);
    const isAllowed = tokens >= 1;
    this.#buckets.set(uid, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    if (this.#buckets.size > mostObjects) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return isAllowed;
  }
}
