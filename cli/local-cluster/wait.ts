import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Subject of the wait, for the error: `etcd to respond`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly intervalMs?: number;
}

/**
 * Polls until the result is true.
 *
 * @throws Error after the timeout, or an error of `check` at once.
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
