import { readJson } from "../../render/json-text.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";

/** Characters that `JSON.parse` takes a few milliseconds for, whatever they are. */
const AT_ONCE = 65_536;

/**
 * Reads JSON that a program may have made up. `JSON.parse` would take 0.4 s for 4 MiB of empty objects.
 *
 * @throws SyntaxError, JsonTextError
 */
export async function readJsonInSlices(text: string): Promise<unknown> {
  return text.length <= AT_ONCE ? JSON.parse(text) : await new TimeSlice(performance).run(readJson(text));
}
