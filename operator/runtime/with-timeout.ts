import type { Clock } from "../ports.ts";

export interface WithTimeoutOptions {
  readonly clock: Clock;
  /** `Infinity`: no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** An action took longer than its timeout. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/**
 * Runs `action` for at most `timeoutMs`. Then its signal is aborted. An action that ignores the signal is not awaited.
 *
 * @throws TimeoutError, the reason of `signal`, or what `action` threw.
 */
export function withTimeout<T>(
  action: (signal: AbortSignal) => Promise<T>,
  { clock, timeoutMs, signal: outer }: WithTimeoutOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: unknown): void => {
      controller.abort(reason);
      end();
      reject(reason);
    };
    const stopWithOuter = (): void => stop(outer?.reason);
    const stopLate = (): void => stop(new TimeoutError(`It did not end within ${timeoutMs / 1_000} s`));
    const cancel = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.schedule(timeoutMs, stopLate);
    const end = (): void => {
      cancel?.();
      outer?.removeEventListener("abort", stopWithOuter);
    };
    if (outer?.aborted) return stopWithOuter();
    outer?.addEventListener("abort", stopWithOuter, { once: true });
    action(controller.signal).then(resolve, reject).finally(end);
  });
}
