/** The text is not of the kind that is read here, or not YAML at all. */
export class NotPlainError extends Error {
  override readonly name = "NotPlainError";
  /** Offset at which that was seen. */
  readonly at: number;
  /** What is wrong, for people, if it is known that something is. */
  readonly why: string | undefined;

  constructor(at: number, why?: string) {
    super(why ?? "Not plain YAML");
    this.at = at;
    this.why = why;
  }
}

/** What an anchor names. */
export interface Anchored {
  readonly value: unknown;
  /** Characters of the value's text, and of all that aliases bring into it. */
  readonly weight: number;
}

/** Where the reader of plain YAML stands. Between two nodes: on the first character of a line's content. */
export interface Cursor {
  /** Ends in a line feed; has no carriage returns and no control characters but tabs. */
  readonly text: string;
  at: number;
  /** Column of that content; -1 at the end of the text. */
  indent: number;
  depth: number;
  /** Undefined: the anchor's own value is being read. */
  readonly anchors: Map<string, Anchored | undefined>;
  /** Sum of what aliases have brought in. */
  aliasWeight: number;
  /** Told where each field and each item of a list begins. */
  readonly trace: Trace | undefined;
}

export type Trace = (container: object, key: string | number, at: number) => void;

export const codes = {
  tab: 9,
  newline: 10,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  ampersand: 38,
  singleQuote: 39,
  asterisk: 42,
  comma: 44,
  dash: 45,
  colon: 58,
  greater: 62,
  openBracket: 91,
  closeBracket: 93,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
} as const;

/** Deepest nesting that is read; the API server's own limit is far above what anybody writes. */
export const DEPTH_LIMIT = 100;

export const messages = {
  indent: "the indentation does not fit what stands above",
  colon: "a text with a colon and a space must stand in quotes",
  quote: "a quote is missing",
  tab: "a tab is used to indent; YAML takes only spaces",
  bracket: "a bracket or a comma is missing",
  start: "a text that begins with this character must stand in quotes",
  deep: "is nested too deeply",
  aliases: "its aliases stand for too much",
  number: "a number is too large or not a number; put it in quotes if it is text",
} as const;

/** Offset of the first character, from `at` on, that is neither a space nor a tab. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  for (;;) {
    const code = text.charCodeAt(next);
    if (code !== codes.space && code !== codes.tab) return next;
    next++;
  }
}

/** From the beginning of a line to the next content: blank lines and comments are skipped. */
export function toNextContent(cursor: Cursor): void {
  const { text } = cursor;
  let line = cursor.at;
  for (;;) {
    let at = line;
    while (text.charCodeAt(at) === codes.space) at++;
    const indent = at - line;
    const hasTab = text.charCodeAt(at) === codes.tab;
    if (hasTab) at = skipBlanks(text, at);
    const code = text.charCodeAt(at);
    if (at >= text.length) {
      cursor.at = text.length;
      cursor.indent = -1;
      return;
    }
    if (code !== codes.newline && code !== codes.hash) {
      if (hasTab) throw new NotPlainError(at, messages.tab);
      cursor.at = at;
      cursor.indent = indent;
      return;
    }
    line = text.indexOf("\n", at) + 1;
  }
}

/** Ends a value: skips what may follow it on its line, a comment, and goes to the next content. */
export function finishLine(cursor: Cursor): void {
  const { text } = cursor;
  let at = skipBlanks(text, cursor.at);
  if (text.charCodeAt(at) === codes.hash && at > 0 && isBlank(text.charCodeAt(at - 1))) {
    at = text.indexOf("\n", at);
  }
  if (text.charCodeAt(at) !== codes.newline) throw new NotPlainError(at);
  cursor.at = at + 1;
  toNextContent(cursor);
}

function isBlank(code: number): boolean {
  return code === codes.space || code === codes.tab;
}

/** Runs a sticky pattern where the cursor stands, and moves it past the match. */
export function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match !== null) cursor.at += match[0].length;
  return match;
}
