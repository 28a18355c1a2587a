/** What client-go allows one object: so many events at once, and then one in five minutes. */
const burst = 25;
const refillMs = 5 * 60_000;
/** So often comes another routine event after the first ones, whatever it is about. */
const routineMs = 1_000;
/** Objects remembered at most; the one that was quiet for longest goes first. */
const mostObjects = 4_096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Bounds how many events one object gets, whatever goes on with it; one for warnings and the like, another for routine events. */
export class EventLimits {
  /** By uid; the one that was asked for last comes last. */
  readonly #buckets = new Map<string, Bucket>();

  /** Whether the object may have one more event. */
  take(uid: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(uid) ?? { tokens: burst, atMs: nowMs };
    this.#buckets.delete(uid);
    this.#buckets.set(uid, bucket);
    const isAllowed = takeFrom(bucket, nowMs, refillMs);
    if (this.#buckets.size > mostObjects) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return isAllowed;
  }
}

/** Bounds routine events of all objects together: a fill of thousands of Releases writes no event for each. */
export class RoutineLimit {
  #bucket: Bucket | undefined;

  /** Whether there may be one more. */
  take(nowMs: number): boolean {
    this.#bucket ??= { tokens: burst, atMs: nowMs };
    return takeFrom(this.#bucket, nowMs, routineMs);
  }
}

function takeFrom(bucket: Bucket, nowMs: number, everyMs: number): boolean {
  bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / everyMs);
  bucket.atMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
