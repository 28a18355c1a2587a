// Bytes that V8 needs for parts of a value, measured with Node 26 and rounded up: an empty object reserves space for
// four fields.
const OBJECT = 64;
const ARRAY = 40;
const ITEM = 24;
const KEY = 32;

// Bytes that js-yaml needs for the nodes of a text, before their values are created; measured in the same way.
const NODE = 80;
const PAIR = 200;

const [quote, backslash, comma, colon, newline] = [34, 92, 44, 58, 10];
const [openBracket, openBrace] = [91, 123];
const [space, tab, dash, question, carriageReturn] = [32, 9, 45, 63, 13];

/**
 * Estimates the memory of the value of a JSON text, in bytes. One MiB of `[{},{},…]` takes 22 MiB, so limits on the
 * length of the text are not sufficient. Linear; pure.
 */
export function estimateMemory(json: string): number {
  let bytes = json.length;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code === openBrace) bytes += OBJECT;
    else if (code === openBracket) bytes += ARRAY;
    else if (code === comma) bytes += ITEM;
    else if (code === colon) bytes += KEY;
  }
  return bytes;
}

/**
 * Estimates the maximum memory for parsing a JSON file, in bytes, without parsing it: texts are counted as if they were
 * values. Linear; pure.
 */
export function estimateFileMemory(content: Uint8Array): number {
  let bytes = content.length;
  for (const code of content) {
    if (code === openBrace) bytes += OBJECT;
    else if (code === openBracket) bytes += ARRAY;
    else if (code === comma || code === newline) bytes += ITEM + KEY;
  }
  return bytes;
}

/**
 * Estimates the maximum memory for parsing a YAML file, in bytes, without parsing it. Its documents are parsed one after
 * the other; texts are counted as if they were values. Aliases are not followed. Linear; pure.
 */
export function estimateYamlMemory(content: Uint8Array): number {
  let [bytes, most] = [0, 0];
  for (let at = 0; at < content.length; at++) {
    const code = content[at];
    if (code === openBrace || code === openBracket) bytes += NODE;
    else if (code === comma) bytes += PAIR;
    else if (code === dash && isBlank(content[at + 1])) bytes += 2 * NODE;
    else if ((code === colon || code === question) && isBlank(content[at + 1])) bytes += PAIR;
    else if (
      code === newline &&
      content[at + 1] === dash &&
      content[at + 2] === dash &&
      content[at + 3] === dash
    ) {
      most = Math.max(most, bytes);
      bytes = 0;
    }
  }
  return content.length + Math.max(most, bytes);
}

function isBlank(code: number | undefined): boolean {
  return code === space || code === newline || code === tab || code === carriageReturn;
}

function endOfText(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); at < json.length && code !== quote; code = json.charCodeAt(at)) {
    at += code === backslash ? 2 : 1;
  }
  return at;
}
