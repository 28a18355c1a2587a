import { renderLimits } from "./messages.ts";

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a } as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Looks through the JSON of one object before it is parsed, in one pass: a text that is nested deeply exhausts the stack of
 * whatever walks it later, and one of very many values takes long to parse.
 *
 * @returns What is wrong; undefined: it may be parsed.
 */
export function checkJson(bytes: Buffer): string | undefined {
  if (bytes.length > renderLimits.objectBytes)
    return `has more than ${renderLimits.objectBytes / 2 ** 20} MiB of JSON`;
  let [depth, values, keys, isText] = [0, 0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === code.backslash) at++;
      else if (byte === code.quote) isText = false;
    } else if (byte === code.quote) isText = true;
    else if (byte === openObject || byte === openList) {
      depth++;
      values++;
      if (depth > renderLimits.depth) return "is nested too deeply";
    } else if (byte === closeObject || byte === closeList) depth--;
    else if (byte === code.comma) values++;
    else if (byte === code.colon) keys++;
  }
  if (keys > renderLimits.keys) return `has more than ${renderLimits.keys} keys`;
  return values + keys > renderLimits.values ? `has more than ${renderLimits.values} values` : undefined;
}
