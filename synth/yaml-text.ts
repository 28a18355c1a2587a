import { DEEP, writeDeep } from "./deep-json.ts";

// Written by hand: the yaml package takes five times as long, and this runs for every object of every commit. Text that
// is ambiguous under YAML 1.1 or 1.2 is quoted as in JSON.

/** Begins with a letter, so it is neither a number nor a date; colons, at signs and spaces only between words … */
const plain = /^[A-Za-z](?:[A-Za-z0-9_./-]|[:@ ](?=[A-Za-z0-9]))*$/;
/** … and is none of the words that some parser converts to a boolean, null or a number. */
const ambiguous = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** A line that a literal block can contain unchanged: printable, no tab, no trailing space. */
const blockLine = /^(?:[ -~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\uffef]*[!-~])?$/;
/** Characters that JSON does not escape and YAML must: unprintable ones and Unicode's line ends. */
const unsafe = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** Maximum length of a key, in characters, on one line with its value; YAML's limit is 1024 bytes. */
const KEY_LIMIT = 300;

export interface ToYamlOptions {
  /**
   * More characters to escape, which are not escaped in files: such as those that reorder text on a terminal. A global
   * pattern of single UTF-16 code units, none of which is printable ASCII, a tab or a line feed.
   */
  readonly escaped?: RegExp;
}

/**
 * A JSON object as a YAML document with keys in code-unit order. Parses to the same value under YAML 1.1 and 1.2.
 * Undefined fields are omitted. Very deeply nested values are written as JSON.
 */
export function toYaml(value: object, options: ToYamlOptions = {}): string {
  return writeNested(value, "", options) || `${emptyOf(value)}\n`;
}

function writeNested(value: object, indent: string, options: ToYamlOptions): string {
  // JSON is also valid YAML. Each level of a block indents all of its lines by two spaces.
  if (indent.length > 2 * DEEP) {
    const scalar = (one: unknown): string => quoted(one, options);
    return `${indent}${writeDeep(value, { scalar, colon: ": " })}\n`;
  }
  return Array.isArray(value)
    ? writeList(value, indent, options)
    : writeMap(value as Fields, indent, options);
}

type Fields = Readonly<Record<string, unknown>>;

function writeMap(map: Fields, indent: string, options: ToYamlOptions): string {
  let text = "";
  for (const key of Object.keys(map).sort()) {
    const value = map[key];
    if (value === undefined) continue;
    const name = toText(key, options);
    const start = key.length > KEY_LIMIT ? `? ${name}\n${indent}:` : `${name}:`;
    text += `${indent}${start}${writeBelow(value, indent, options)}`;
  }
  return text;
}

function writeList(list: readonly unknown[], indent: string, options: ToYamlOptions): string {
  let text = "";
  for (const value of list) {
    const below = `${indent}  `;
    if (typeof value !== "object" || value === null) {
      text += `${indent}- ${toScalar(value, indent, options)}\n`;
    } else {
      // A map or list begins on the line of its dash: its own indentation includes the "- ".
      const nested = writeNested(value, below, options);
      text += nested === "" ? `${indent}- ${emptyOf(value)}\n` : `${indent}- ${nested.slice(below.length)}`;
    }
  }
  return text;
}

function writeBelow(value: unknown, indent: string, options: ToYamlOptions): string {
  if (typeof value !== "object" || value === null) return ` ${toScalar(value, indent, options)}\n`;
  const below = `${indent}  `;
  const nested = writeNested(value, below, options);
  return nested === "" ? ` ${emptyOf(value)}\n` : `\n${nested}`;
}

function emptyOf(value: object): string {
  return Array.isArray(value) ? "[]" : "{}";
}

function toScalar(value: unknown, indent: string, options: ToYamlOptions): string {
  const block = typeof value === "string" && value.includes("\n") && toBlock(value, indent, options);
  if (typeof block === "string") return block;
  return typeof value === "string" ? toText(value, options) : toNumber(value);
}

/** A number, boolean or null. YAML 1.1 requires a point in a number with an exponent. */
function toNumber(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replace(/^(-?\d+)e/, "$1.0e");
}

function toText(text: string, options: ToYamlOptions): string {
  return plain.test(text) && !ambiguous.test(text) ? text : quoted(text, options);
}

function quoted(value: unknown, { escaped }: ToYamlOptions): string {
  if (typeof value !== "string") return toNumber(value);
  // JSON escapes unpaired surrogates, which YAML parsers handle differently: they never occur in JSON that a server
  // accepted.
  const text = JSON.stringify(value).replace(unsafe, toEscape);
  return escaped === undefined ? text : text.replace(escaped, toEscape);
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A literal block with an explicit indentation, if the text allows it; the text may end with one line end, or none. */
function toBlock(text: string, indent: string, { escaped }: ToYamlOptions): string | undefined {
  if (escaped !== undefined && text.search(escaped) >= 0) return undefined;
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body.split("\n");
  if (body.endsWith("\n") || body === "" || !lines.every((line) => blockLine.test(line))) return undefined;
  const indented = lines.map((line) => (line === "" ? "" : `${indent}  ${line}`)).join("\n");
  return `|2${body === text ? "-" : ""}\n${indented}`;
}
