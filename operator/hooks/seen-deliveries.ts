import type { Clock } from "../ports.ts";

const windowMs = 5 * 60_000;
const most = 1_000;
const longestId = 128;

/**
 * Stores deliveries for a few minutes, the newest 1,000. Returns a function that records an id and returns whether it
 * was seen before. A missing or too long id always counts as new: the rate is limited elsewhere.
 */
export function rememberDeliveries(
  clock: Clock,
): (hook: string, id: string | readonly string[] | undefined) => boolean {
  /** Time of arrival by hook and id, oldest first. */
  const seen = new Map<string, number>();
  return (hook, id) => {
    if (typeof id !== "string" || id === "" || id.length > longestId) return false;
    const nowMs = clock.now();
    for (const [key, atMs] of seen) {
      if (nowMs - atMs <= windowMs && seen.size <= most) break;
      seen.delete(key);
    }
    const key = `${hook} ${id}`;
    const isKnown = seen.has(key);
    if (!isKnown) seen.set(key, nowMs);
    return isKnown;
  };
}
