import { DocumentError } from "./document-error.ts";
import { showText } from "./show-text.ts";
import { DEPTH_LIMIT } from "./yaml-cursor.ts";

/** A text, a bracket, a comma, a colon, or a run of anything else but space. */
const token = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g;
const TOKENS_AT_ONCE = 10_000;
/** Largest text, in characters, that is read again and again to find a line. */
const SEARCH_LIMIT = 65_536;
const integer = /^-?[0-9]+$/;

/**
 * Reads a JSON file. `JSON.parse` gives the value; what it lets through is refused before: a key that is there twice,
 * and numbers that would lose digits. Yields now and then, so that a long file can be read in pieces.
 *
 * @throws {DocumentError} with the line; its text has nothing of what the file says but names of keys.
 */
export function* readJson(text: string): Generator<undefined, unknown> {
  yield* checkTokens(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // V8's message quotes the file, which may be a Secret.
    throw new DocumentError("is not valid JSON", { line: firstLineThatFails(text) });
  }
}

/** The keys of each object around the place; undefined for a list. */
type Around = (Set<string> | undefined)[];

function* checkTokens(text: string): Generator<undefined, void> {
  const around: Around = [];
  let previous = "";
  let count = 0;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    const keys = around.at(-1);
    if (found === "{") around.push(new Set());
    else if (found === "[") around.push(undefined);
    else if (found === "}" || found === "]") around.pop();
    else if (found.startsWith('"')) {
      if (keys !== undefined && (previous === "{" || previous === ","))
        addKey(keys, found, text, match.index);
    } else checkNumber(found, text, match.index);
    if (around.length > DEPTH_LIMIT) {
      throw new DocumentError("is nested too deeply", {
        reason: "RenderLimit",
        line: lineAt(text, match.index),
      });
    }
    previous = found;
    if (++count % TOKENS_AT_ONCE === 0) yield;
  }
}

function addKey(keys: Set<string>, quoted: string, text: string, at: number): void {
  const key = quoted.includes("\\") ? unquote(quoted) : quoted.slice(1, -1);
  const shown = showText(key, { longest: 60 });
  if (key === "__proto__") {
    throw new DocumentError('the key "__proto__" is not allowed', { line: lineAt(text, at) });
  }
  if (keys.has(key)) throw new DocumentError(`the key "${shown}" is there twice`, { line: lineAt(text, at) });
  keys.add(key);
}

function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

function checkNumber(word: string, text: string, at: number): void {
  const value = Number(word);
  const loses = integer.test(word)
    ? !Number.isSafeInteger(value)
    : Math.abs(value) === Number.POSITIVE_INFINITY;
  if (!loses) return;
  throw new DocumentError("a number is too large; put it in quotes if it is text", {
    line: lineAt(text, at),
  });
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** V8 names the place of some errors; for the others the first line does. */
function firstLineThatFails(text: string): number {
  try {
    JSON.parse(text);
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
    if (position !== undefined) return lineAt(text, Math.min(Number(position), text.trimEnd().length));
    return text.length > SEARCH_LIMIT ? 1 : firstWrongLine(text);
  }
  return 1;
}

/** Up to the line before the text is only cut short. */
function firstWrongLine(text: string): number {
  const lines = text.trimEnd().split("\n");
  let low = 1;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isCutShort(lines.slice(0, middle).join("\n"))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a text fails only because it ends too early. */
function isCutShort(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return error instanceof Error && /end of JSON input|unterminated string/i.test(error.message);
  }
}
