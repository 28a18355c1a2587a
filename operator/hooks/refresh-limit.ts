import type { Clock } from "../ports.ts";

export interface RefreshLimitOptions {
  readonly clock: Clock;
  readonly refresh: (url: string) => void;
  /** So many at once. Default 20. */
  readonly burst?: number;
  /** One more after each such time. Default 200 ms. */
  readonly everyMs?: number;
}

/**
 * Lets nobody keep a remote busy, also not with requests that were signed once and are sent again: `burst` looks at once,
 * then one every `everyMs`. One that is too early is not lost: it comes later, together with all others of the time between.
 */
export function limitRefresh({
  clock,
  refresh,
  burst = 20,
  everyMs = 200,
}: RefreshLimitOptions): (url: string) => void {
  /** When the next look would be on time if they came evenly (generic cell rate algorithm), and whether one waits. */
  const paces = new Map<string, { nextMs: number; isWaiting: boolean }>();
  return (url) => {
    const nowMs = clock.now();
    for (const [other, { nextMs, isWaiting }] of paces) {
      if (nextMs <= nowMs && !isWaiting) paces.delete(other);
    }
    const pace = paces.get(url) ?? { nextMs: nowMs, isWaiting: false };
    paces.set(url, pace);
    if (pace.isWaiting) return;
    const waitMs = pace.nextMs - burst * everyMs - nowMs + everyMs;
    pace.nextMs = Math.max(pace.nextMs, nowMs) + everyMs;
    if (waitMs <= 0) {
      refresh(url);
      return;
    }
    pace.isWaiting = true;
    clock.schedule(waitMs, () => {
      pace.isWaiting = false;
      refresh(url);
    });
  };
}
