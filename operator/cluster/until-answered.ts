import { ApiUnavailableError } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";
import { sleep } from "../runtime/sleep.ts";

export interface UntilAnsweredOptions {
  /** Called once, at the first failure that is retried. */
  readonly onWait: (failure: ApiUnavailableError) => void;
  /** Called when a read succeeds after failures. */
  readonly onEnd: () => void;
  /** Failures after which the last one is thrown. Default: any number is retried. */
  readonly mostFailures?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** The same backoff as for watches. */
const backoff = { initialMs: 800, factor: 2, capMs: 30_000, jitter: 1 };

/**
 * Reads something that the start needs, and retries while the API server is overloaded or unavailable, until the signal
 * aborts.
 *
 * @returns Undefined: the signal aborted.
 * @throws every other error of `read`, such as an ApiUnavailableError with status 403.
 */
export async function untilAnswered<Value>(
  read: () => Promise<Value>,
  { onWait, onEnd, mostFailures = Number.POSITIVE_INFINITY, clock, random, signal }: UntilAnsweredOptions,
): Promise<Value | undefined> {
  const delays = new Backoff(backoff, random);
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const value = await read();
      if (failures > 0) onEnd();
      return value;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof ApiUnavailableError) || error.status === 403) throw error;
      if (failures + 1 >= mostFailures) throw error;
      if (failures === 0) onWait(error);
      const delayMs = Math.max(error.retryAfterMs ?? 0, delays.next(clock.now()));
      await sleep(delayMs, { clock, signal });
    }
  }
  return undefined;
}
