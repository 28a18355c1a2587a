import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Subject of the wait, for the error: `etcd to answer`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly intervalMs?: number;
}

/**
 * Asks until the answer is true.
 *
 * @throws Error when the time is over, or what `check` throws, at once.
 */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  { what, timeoutMs, intervalMs = 100 }: WaitOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline)
      throw new Error(`Timed out after ${timeoutMs / 1000} s waiting for ${what}`);
    await sleep(intervalMs);
  }
}
