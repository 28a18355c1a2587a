import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

export interface EventuallyOptions {
  /** The expectation, for the error: `the Deployment is Ready`. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Default timeout: only patience, for a machine that is several times slower than usual. While tests install and remove kinds,
 * the garbage collector of the shared cluster pauses for half a minute.
 */
const PATIENCE_MS = 240_000;

/**
 * Waits for a condition: calls `check` until it does not throw and returns a value other than `false`, `null` and `undefined`.
 * Returns this value. `check` may use `expect`.
 *
 * @throws Error with the expected and the last actual result.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { what, timeoutMs = PATIENCE_MS, intervalMs = 100 }: EventuallyOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const started = performance.now();
  for (;;) {
    const outcome = await attempt(check);
    if ("value" in outcome && isHit(outcome.value)) return outcome.value;
    if (performance.now() - started > timeoutMs) {
      const last =
        "error" in outcome ? `threw: ${messageOf(outcome.error)}` : `returned: ${inspect(outcome.value)}`;
      const cause = "error" in outcome ? outcome.error : undefined;
      throw new Error(`Not within ${timeoutMs / 1000} s: ${what}. The last check ${last}`, { cause });
    }
    await sleep(intervalMs);
  }
}

async function attempt<T>(check: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await check() };
  } catch (error) {
    return { error };
  }
}

function isHit<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : inspect(error);
}
