import { setImmediate } from "node:timers/promises";
import { readJson } from "../../render/json-text.ts";

/** Milliseconds of work before everything else gets a turn. */
const SLICE_MS = 8;
/** Characters that `JSON.parse` takes a few milliseconds for, whatever they are. */
const AT_ONCE = 65_536;

/**
 * Reads JSON that a program may have made up. `JSON.parse` would take 0.4 s for 4 MiB of empty objects.
 *
 * @throws SyntaxError, JsonTextError
 */
export async function readJsonInSlices(text: string): Promise<unknown> {
  return text.length <= AT_ONCE ? JSON.parse(text) : await inSlices(readJson(text));
}

/** Runs work that yields where it may rest. */
export async function inSlices<Result>(work: Generator<undefined, Result>): Promise<Result> {
  let sinceMs = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - sinceMs < SLICE_MS) continue;
    await setImmediate();
    sinceMs = performance.now();
  }
}
