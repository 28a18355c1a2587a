/** Counts of a JSON text that determine how long it takes to parse. */
export interface JsonShape {
  /** Maximum depth of nested lists and objects. */
  readonly depth: number;
  /** Number of lists, objects and further items. */
  readonly values: number;
  readonly keys: number;
}

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a } as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Depth of JSON that people write, with much room. */
const PARSED_DEPTH = 500;

/**
 * `JSON.parse` for a text that a stranger may have written. V8 14.6 (Node 26.10) corrupts its memory for some invalid texts
 * with more than 4,096 nested objects: `{"a":1,"b":[` 4,096 times, followed by `"a":`. Found by the fuzzer.
 *
 * @throws SyntaxError; RangeError if the text is nested too deeply.
 */
export function parseUntrusted(text: Buffer | string): unknown {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  if (shapeOfJson(bytes, { mostDepth: PARSED_DEPTH }).depth > PARSED_DEPTH)
    throw new RangeError(`JSON with more than ${PARSED_DEPTH} nested lists and objects`);
  return JSON.parse(String(text));
}

/**
 * Measures a JSON text without parsing it, in one pass that takes a few milliseconds for each MiB. The result for a text
 * that is not JSON has no meaning. Stops at the first level beyond `mostDepth`. Pure.
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
