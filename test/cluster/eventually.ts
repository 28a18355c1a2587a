import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

export interface EventuallyOptions {
  /** The expectation, for the error: `the Deployment is Ready`. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/** While tests install and remove kinds, the garbage collector of the shared cluster pauses for half a minute. */
const PATIENCE_MS = 90_000;

/**
 * Waits for a condition: calls `check` until it gives something other than `false`, `null` or `undefined` and does not
 * throw (so that `expect` may be used inside), and returns that.
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
        "error" in outcome ? `threw: ${messageOf(outcome.error)}` : `gave: ${inspect(outcome.value)}`;
      const cause = "error" in outcome ? outcome.error : undefined;
      throw new Error(`Not within ${timeoutMs / 1000} s: ${what}. The last look ${last}`, { cause });
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
