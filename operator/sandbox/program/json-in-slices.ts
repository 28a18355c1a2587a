import { parseUntrusted } from "../../engine/json-shape.ts";
import { readJson } from "../../render/json-text.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";

/** Number of characters that `JSON.parse` parses within a few milliseconds, for any content. */
const AT_ONCE = 65_536;

/**
 * Parses untrusted JSON of a program. `JSON.parse` would take 0.4 s for 4 MiB of empty objects.
 *
 * @throws SyntaxError, JsonTextError; RangeError if a short text is nested too deeply.
 */
export async function readJsonInSlices(text: string): Promise<unknown> {
  return text.length <= AT_ONCE ? parseUntrusted(text) : await new TimeSlice(performance).run(readJson(text));
}
