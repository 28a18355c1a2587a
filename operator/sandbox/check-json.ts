import { shapeOfJson } from "../engine/json-shape.ts";
import { renderLimits } from "./messages.ts";

/**
 * Checks the JSON of one object before it is parsed, in one pass: deeply nested text exhausts the stack of code that
 * traverses it later, and text with very many values takes long to parse.
 *
 * @returns The problem; undefined: it may be parsed.
 */
export function checkJson(bytes: Buffer): string | undefined {
  if (bytes.length > renderLimits.objectBytes)
    return `has more than ${renderLimits.objectBytes / 2 ** 20} MiB of JSON`;
  const { depth, values, keys } = shapeOfJson(bytes, { mostDepth: renderLimits.depth });
  if (depth > renderLimits.depth) return "is nested too deeply";
  if (keys > renderLimits.keys) return `has more than ${renderLimits.keys} keys`;
  return values + keys > renderLimits.values ? `has more than ${renderLimits.values} values` : undefined;
}
