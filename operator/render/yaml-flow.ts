import { resolvePlain, type Scalar, unreadable } from "./resolve-scalar.ts";
import { readAlias, readAnchored } from "./yaml-anchors.ts";
import { type Cursor, codes, DEPTH_LIMIT, messages, NotPlainError, skipBlanks, take } from "./yaml-cursor.ts";
import { checkPlainKey, FieldsReader } from "./yaml-fields.ts";
import { readQuoted, readQuotedInLine } from "./yaml-quoted.ts";
import { trimBlanks } from "./yaml-scalars.ts";

/** A plain scalar within brackets, on one line; colons only inside of words. */
const plain = /(?:[A-Za-z0-9_./$+~<]|-(?=[A-Za-z0-9-]))(?:[^,[\]{}:#\n\t]|:(?=[^\s,[\]{}]))*/y;

/** A list in brackets or a map in braces. Keys without a value are not read, nor are plain texts over several lines. */
export function readFlow(cursor: Cursor, parentIndent: number): unknown {
  if (++cursor.depth > DEPTH_LIMIT) throw new NotPlainError(cursor.at, messages.deep);
  const isList = cursor.text.charCodeAt(cursor.at) === codes.openBracket;
  const value = isList ? readFlowList(cursor, parentIndent) : readFlowMap(cursor, parentIndent);
  cursor.depth--;
  return value;
}

function readFlowList(cursor: Cursor, parentIndent: number): unknown[] {
  const list: unknown[] = [];
  cursor.at++;
  while (nextInFlow(cursor, parentIndent) !== codes.closeBracket) {
    cursor.trace?.(list, list.length, cursor.at);
    list.push(readFlowValue(cursor, parentIndent));
    takeComma(cursor, parentIndent, codes.closeBracket);
  }
  cursor.at++;
  return list;
}

function readFlowMap(cursor: Cursor, parentIndent: number): unknown {
  const reader = new FieldsReader();
  cursor.at++;
  while (nextInFlow(cursor, parentIndent) !== codes.closeBrace) {
    const at = cursor.at;
    const fail = (why: string): never => {
      throw new NotPlainError(at, why);
    };
    const { name, isPlain } = takeFlowKey(cursor, fail);
    const isMerge = isPlain && name === "<<";
    cursor.trace?.(reader.fields, name, at);
    if (!isMerge) reader.claim(name, fail);
    nextInFlow(cursor, parentIndent);
    const value = readFlowValue(cursor, parentIndent);
    if (isMerge) reader.merge(value, fail);
    else reader.fields[name] = value;
    takeComma(cursor, parentIndent, codes.closeBrace);
  }
  cursor.at++;
  return reader.fields;
}

/** A key and its colon; behind a plain key stands a blank, or the colon would be part of a word. */
function takeFlowKey(
  cursor: Cursor,
  fail: (why: string) => never,
): { readonly name: string; readonly isPlain: boolean } {
  const { text } = cursor;
  const code = text.charCodeAt(cursor.at);
  const isPlain = code !== codes.doubleQuote && code !== codes.singleQuote;
  const name = isPlain ? trimBlanks(take(cursor, plain)?.[0] ?? "") : readQuotedInLine(cursor);
  const next = text.charCodeAt(cursor.at + 1);
  const isSpaced = next === codes.space || next === codes.newline;
  const isKey = text.charCodeAt(cursor.at) === codes.colon && (!isPlain || (isSpaced && name !== ""));
  if (!isKey) throw new NotPlainError(cursor.at);
  if (isPlain) checkPlainKey(name, fail);
  cursor.at++;
  return { name, isPlain };
}

function readFlowValue(cursor: Cursor, parentIndent: number): unknown {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case codes.openBracket:
    case codes.openBrace:
      return readFlow(cursor, parentIndent);
    case codes.doubleQuote:
    case codes.singleQuote:
      return readQuoted(cursor, parentIndent);
    case codes.asterisk:
      return readAlias(cursor);
    case codes.ampersand:
      return readAnchored(cursor, () => {
        nextInFlow(cursor, parentIndent);
        return readFlowValue(cursor, parentIndent);
      });
    default:
      return readFlowPlain(cursor);
  }
}

function readFlowPlain(cursor: Cursor): Scalar {
  const start = cursor.at;
  const match = take(cursor, plain)?.[0];
  if (match === undefined) throw new NotPlainError(start);
  const value = resolvePlain(trimBlanks(match));
  if (value === unreadable) throw new NotPlainError(start, messages.number);
  return value;
}

/** The next character that is no blank; what stands on further lines must be further in than the parent. */
function nextInFlow(cursor: Cursor, parentIndent: number): number {
  const { text } = cursor;
  let at = cursor.at;
  let line = -1;
  for (;;) {
    at = skipBlanks(text, at);
    const code = text.charCodeAt(at);
    const isComment = code === codes.hash && (at === line || at > cursor.at);
    if (code === codes.newline || isComment) {
      line = text.indexOf("\n", at) + 1;
      at = line;
      continue;
    }
    if (line !== -1 && !isFurtherIn(text, line, parentIndent, code)) {
      throw new NotPlainError(at, messages.indent);
    }
    cursor.at = at;
    return code;
  }
}

/** The bracket at the end may stand at the parent's own indent. */
function isFurtherIn(text: string, line: number, parentIndent: number, code: number): boolean {
  let at = line;
  while (text.charCodeAt(at) === codes.space) at++;
  const isEnd = code === codes.closeBracket || code === codes.closeBrace;
  return at - line > parentIndent - (isEnd ? 1 : 0);
}

function takeComma(cursor: Cursor, parentIndent: number, close: number): void {
  const code = nextInFlow(cursor, parentIndent);
  if (code === codes.comma) cursor.at++;
  else if (code !== close) throw new NotPlainError(cursor.at, messages.bracket);
}
