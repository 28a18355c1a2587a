// Bytes that V8 needs for parts of a value, measured with Node 26 and rounded up: an empty object has room for four fields.
const OBJECT = 64;
const ARRAY = 40;
const ITEM = 24;
const KEY = 32;

const [quote, backslash, comma, colon, newline] = [34, 92, 44, 58, 10];
const [openBracket, openBrace] = [91, 123];

/**
 * Estimates the memory of the value of a JSON text, in bytes. One MiB of `[{},{},…]` takes 22 MiB, so limits of text say little.
 * Linear; pure.
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
 * Estimates the memory that reading a YAML or JSON file takes at most, in bytes, without reading it: texts are counted as if
 * they were values. Aliases are not followed. Linear; pure.
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

function endOfText(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); at < json.length && code !== quote; code = json.charCodeAt(at)) {
    at += code === backslash ? 2 : 1;
  }
  return at;
}
