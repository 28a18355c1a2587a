import { type JsonShape, shapeOfJson } from "../engine/json-shape.ts";
import { renderLimits } from "./render-limits.ts";

/**
 * Checks the JSON of one object before it is parsed, in one pass: deeply nested text exhausts the stack of code that
 * traverses it later, and text with very many values takes long to parse.
 *
 * @returns The problem; undefined: it may be parsed.
 */
export function checkJson(bytes: Buffer): string | undefined {
  if (bytes.length > renderLimits.objectBytes)
    return `has more than ${renderLimits.objectBytes / 2 ** 20} MiB of JSON`;
  const shape = shapeOfJson(bytes, { mostDepth: renderLimits.depth });
  return shape.depth > renderLimits.depth ? "is nested too deeply" : checkSize(shape);
}

/** @returns The problem of a JSON text with too many keys or values; undefined: it may be parsed. */
export function checkSize({ values, keys }: Pick<JsonShape, "values" | "keys">): string | undefined {
  if (keys > renderLimits.keys) return `has more than ${renderLimits.keys} keys`;
  return values + keys > renderLimits.values ? `has more than ${renderLimits.values} values` : undefined;
}
