import { shapeOfJson } from "../engine/json-shape.ts";
import { renderLimits } from "./messages.ts";

/**
 * Looks through the JSON of one object before it is parsed, in one pass: a text that is nested deeply exhausts the stack of
 * whatever walks it later, and one of very many values takes long to parse.
 *
 * @returns What is wrong; undefined: it may be parsed.
 */
export function checkJson(bytes: Buffer): string | undefined {
  if (bytes.length > renderLimits.objectBytes)
    return `has more than ${renderLimits.objectBytes / 2 ** 20} MiB of JSON`;
  const { depth, values, keys } = shapeOfJson(bytes, { mostDepth: renderLimits.depth });
  if (depth > renderLimits.depth) return "is nested too deeply";
  if (keys > renderLimits.keys) return `has more than ${renderLimits.keys} keys`;
  return values + keys > renderLimits.values ? `has more than ${renderLimits.values} values` : undefined;
}
