import { setTimeout as sleep } from "node:timers/promises";

/** A wait exceeded its timeout. */
export class NotInTimeError extends Error {
  override readonly name = "NotInTimeError";
}

export interface WaitUntilOptions {
  /** `performance.now()` at which waiting ends. */
  readonly deadlineMs: number;
  readonly report: (line: string) => void;
}

const PERIOD_MS = 250;

/**
 * Polls until nothing is missing.
 *
 * @param look Returns a description of what is missing, or undefined.
 * @throws NotInTimeError with this description; errors of `look`.
 */
export async function waitUntil(
  look: () => Promise<string | undefined>,
  { deadlineMs, report }: WaitUntilOptions,
): Promise<void> {
  for (let missing = await look(); missing !== undefined; missing = await look()) {
    report(missing);
    if (performance.now() >= deadlineMs) throw new NotInTimeError(missing);
    await sleep(PERIOD_MS);
  }
}
