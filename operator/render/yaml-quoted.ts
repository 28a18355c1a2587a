import { type Cursor, codes, messages, NotPlainError, skipBlanks, take } from "./yaml-cursor.ts";

/** A double-quoted text on one line; the loop is unrolled, so that a long text needs no stack. */
const doubleQuoted = /"([^"\\\n]*(?:\\[^\n][^"\\\n]*)*)"/y;
const doubleQuotedLines = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
/** A quote that another one follows is no end. */
const singleQuoted = /'([^'\n]*(?:''[^'\n]*)*)'(?!')/y;
const singleQuotedLines = /'([^']*(?:''[^']*)*)'(?!')/y;
const escapes = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
/** What JSON reads just as well, and much faster. */
const jsonText = /^[^\\\n\t]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\\n\t]*)*$/;
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "0": "\0",
    a: "\u0007",
    b: "\b",
    t: "\t",
    "\t": "\t",
    n: "\n",
    v: "\v",
    f: "\f",
    r: "\r",
    e: "\u001b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    N: "\u0085",
    _: "\u00a0",
    L: "\u2028",
    P: "\u2029",
  }),
);

/** A quoted text that stands on one line, such as a key. */
export function readQuotedInLine(cursor: Cursor): string {
  const start = cursor.at;
  const isDouble = cursor.text.charCodeAt(start) === codes.doubleQuote;
  const raw = take(cursor, isDouble ? doubleQuoted : singleQuoted)?.[1];
  if (raw === undefined) throw new NotPlainError(start, messages.quote);
  return isDouble ? unescapeText(raw, start) : undouble(raw);
}

/** A quoted text that may go on over lines, which must be further in than `parentIndent`. */
export function readQuoted(cursor: Cursor, parentIndent: number): string {
  const start = cursor.at;
  const isDouble = cursor.text.charCodeAt(start) === codes.doubleQuote;
  const inLine = take(cursor, isDouble ? doubleQuoted : singleQuoted)?.[1];
  const raw = inLine ?? take(cursor, isDouble ? doubleQuotedLines : singleQuotedLines)?.[1];
  if (raw === undefined) throw new NotPlainError(start, messages.quote);
  const folded = inLine ?? foldQuoted(raw, { parentIndent, isDouble, start });
  return isDouble ? unescapeText(folded, start) : undouble(folded);
}

function undouble(raw: string): string {
  return raw.includes("''") ? raw.replaceAll("''", "'") : raw;
}

function unescapeText(raw: string, start: number): string {
  if (!raw.includes("\\")) return raw;
  if (jsonText.test(raw)) return wellFormed(JSON.parse(`"${raw}"`) as string, start);
  const text = raw.replace(escapes, (_, two?: string, four?: string, eight?: string, letter = "") => {
    const digits = two ?? four ?? eight;
    if (digits === undefined) {
      const meant = named.get(letter);
      if (meant !== undefined) return meant;
    } else {
      const code = Number.parseInt(digits, 16);
      // Four digits may be half of a pair, which the whole text is asked about.
      if (code <= 0xffff) return String.fromCharCode(code);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
    }
    throw new NotPlainError(
      start,
      "an escape in double quotes is not known; a backslash itself is written \\\\",
    );
  });
  return wellFormed(text, start);
}

function wellFormed(text: string, start: number): string {
  if (text.isWellFormed()) return text;
  throw new NotPlainError(start, "an escape in double quotes stands for no character");
}

interface FoldOptions {
  readonly parentIndent: number;
  readonly isDouble: boolean;
  readonly start: number;
}

/** Joins the lines of a quoted text: one line break is a space, more of them are one less; `\` before one is none. */
function foldQuoted(raw: string, { parentIndent, isDouble, start }: FoldOptions): string {
  const lines = raw.split("\n");
  let text = "";
  let breaks = 0;
  let isEscaped = true;
  for (const [index, line] of lines.entries()) {
    const from = index === 0 ? 0 : skipBlanks(line, 0);
    const isLast = index === lines.length - 1;
    if (index > 0 && from < line.length && !isFurtherIn(line, parentIndent)) {
      throw new NotPlainError(start, messages.indent);
    }
    const body = isLast ? line.slice(from) : trimEnd(line.slice(from), isDouble);
    const escapesBreak = !isLast && isDouble && endsEscaped(body) && body.length === line.length - from;
    if (body === "" && index > 0 && !isLast) {
      breaks++;
      continue;
    }
    if (breaks > 0) text += "\n".repeat(breaks);
    else if (!isEscaped) text += " ";
    text += escapesBreak ? body.slice(0, -1) : body;
    breaks = 0;
    isEscaped = escapesBreak;
  }
  return text;
}

function isFurtherIn(line: string, parentIndent: number): boolean {
  let at = 0;
  while (line.charCodeAt(at) === codes.space) at++;
  return at > parentIndent;
}

/** Without the blanks at the end; one that a backslash stands before is no such blank. */
function trimEnd(line: string, isDouble: boolean): string {
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === codes.space || line.charCodeAt(end - 1) === codes.tab))
    end--;
  if (isDouble && end < line.length && endsEscaped(line.slice(0, end))) end++;
  return line.slice(0, end);
}

/** Whether a text ends in an odd number of backslashes. */
function endsEscaped(text: string): boolean {
  let at = text.length;
  while (text.endsWith("\\", at)) at--;
  return (text.length - at) % 2 === 1;
}
