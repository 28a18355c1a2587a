/** How much work a JSON text is, before it is parsed. */
export interface JsonShape {
  /** Lists and objects within each other. */
  readonly depth: number;
  /** Values that are items of lists, or lists and objects themselves. */
  readonly values: number;
  readonly keys: number;
}

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a } as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Counts what makes a JSON text slow to parse, in one pass that costs a few milliseconds for each MiB. A text that is not JSON
 * gives numbers too. Stops at the first level beyond `mostDepth`. Pure.
 */
export function shapeOfJson(bytes: Uint8Array, { mostDepth }: { readonly mostDepth: number }): JsonShape {
  let [depth, deepest, values, keys, isText] = [0, 0, 0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === code.backslash) at++;
      else if (byte === code.quote) isText = false;
    } else if (byte === code.quote) isText = true;
    else if (byte === openObject || byte === openList) {
      depth++;
      values++;
      if (depth > deepest) deepest = depth;
      if (depth > mostDepth) break;
    } else if (byte === closeObject || byte === closeList) depth--;
    else if (byte === code.comma) values++;
    else if (byte === code.colon) keys++;
  }
  return { depth: deepest, values, keys };
}
