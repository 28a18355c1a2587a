import type { Clock } from "../ports.ts";
import { TokenBuckets } from "../runtime/token-bucket.ts";

/** Polls a remote. @param pushed The full name of the ref that was pushed; undefined: it is unknown, or there are several. */
export type Refresh = (url: string, pushed: string | undefined) => void;

export interface RefreshLimitOptions {
  readonly clock: Clock;
  readonly refresh: Refresh;
  /** Burst of refreshes of one remote. Default 20. */
  readonly burst?: number;
  /** Interval after which one more is allowed. Default 200 ms. */
  readonly everyMs?: number;
}

/**
 * Limits the polls of each remote that webhooks trigger, so that repeated requests with a valid signature do not keep a
 * remote busy. A refresh over the limit is delayed and merged with those that follow; none is lost.
 */
export function limitRefresh({ clock, refresh, burst = 20, everyMs = 200 }: RefreshLimitOptions): Refresh {
  const rate = new TokenBuckets({ burst, intervalMs: everyMs });
  /** The pushed refs of delayed refreshes, by URL. */
  const delayed = new Map<string, string | undefined>();
  return (url, pushed) => {
    if (delayed.has(url)) {
      if (delayed.get(url) !== pushed) delayed.set(url, undefined);
      return;
    }
    const waitMs = rate.reserve(url, clock.now());
    if (waitMs === 0) {
      refresh(url, pushed);
      return;
    }
    delayed.set(url, pushed);
    clock.schedule(waitMs, () => {
      const merged = delayed.get(url);
      delayed.delete(url);
      refresh(url, merged);
    });
  };
}
