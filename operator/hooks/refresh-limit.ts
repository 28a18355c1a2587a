import type { Clock } from "../ports.ts";
import { TokenBuckets } from "../runtime/token-bucket.ts";

export interface RefreshLimitOptions {
  readonly clock: Clock;
  readonly refresh: (url: string) => void;
  /** Burst of refreshes of one remote. Default 20. */
  readonly burst?: number;
  /** Interval after which one more is allowed. Default 200 ms. */
  readonly everyMs?: number;
}

/**
 * Limits the polls of each remote that webhooks trigger, so that repeated requests with a valid signature do not keep a
 * remote busy. A refresh over the limit is delayed and merged with those that follow; none is lost.
 */
export function limitRefresh({
  clock,
  refresh,
  burst = 20,
  everyMs = 200,
}: RefreshLimitOptions): (url: string) => void {
  const rate = new TokenBuckets({ burst, intervalMs: everyMs });
  const delayed = new Set<string>();
  return (url) => {
    if (delayed.has(url)) return;
    const waitMs = rate.reserve(url, clock.now());
    if (waitMs === 0) {
      refresh(url);
      return;
    }
    delayed.add(url);
    clock.schedule(waitMs, () => {
      delayed.delete(url);
      refresh(url);
    });
  };
}
