import type { Clock } from "../ports.ts";

export interface SleepOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Waits `delayMs`, or until the signal aborts. Never rejects: check the signal afterwards. */
export function sleep(delayMs: number, { clock, signal }: SleepOptions): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const cancel = clock.schedule(delayMs, wake);
    signal?.addEventListener("abort", wake, { once: true });
    function wake(): void {
      cancel();
      signal?.removeEventListener("abort", wake);
      resolve();
    }
  });
}
