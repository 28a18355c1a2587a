import { readAlias, readAnchored } from "./yaml-anchors.ts";
import {
  type Cursor,
  codes,
  DEPTH_LIMIT,
  finishLine,
  messages,
  NotPlainError,
  skipBlanks,
  type Trace,
  take,
  toNextContent,
} from "./yaml-cursor.ts";
import { checkPlainKey, FieldsReader } from "./yaml-fields.ts";
import { readFlow } from "./yaml-flow.ts";
import { readQuoted, readQuotedInLine } from "./yaml-quoted.ts";
import { readBlock, readPlain } from "./yaml-scalars.ts";

// Written by hand: the yaml package needs twenty times as long, and this runs for every file of every Release. It reads
// what manifests are made of, and gives up, without guessing, on everything else.

const plainKey = /[A-Za-z0-9_./$][A-Za-z0-9_./$-]*(?=:[ \t\n])/y;
/** Any other words up to the first colon that ends them. */
const wordyKey = /[^\s,[\]{}#&*!|>'"%@`?:-][^\n\t]*?(?=:[ \t\n])/y;
const quotedKey = /(?:"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|'[^'\n]*(?:''[^'\n]*)*')(?=:[ \t\n])/y;
/** What no plain scalar begins with: indicators, and `-`, `?`, `:` before a blank. */
const noPlainStart = /[,[\]{}#&*!|>'"%@`]|[-?:](?=[ \t\n])/y;
const KEY_LIMIT = 1_000;

/**
 * The value of one YAML document without its `---` line. Duplicate keys are never let through. Yields now and then, so that
 * a long list can be read in pieces.
 *
 * @param text Ends in a line feed; see {@link Cursor}.
 * @returns Undefined for a document without content.
 * @throws {NotPlainError} if the text is not of the plain kind, or not YAML.
 */
export function* readPlainYaml(
  text: string,
  { trace }: { readonly trace?: Trace } = {},
): Generator<undefined, unknown> {
  const cursor: Cursor = { text, at: 0, indent: 0, depth: 0, anchors: new Map(), aliasWeight: 0, trace };
  toNextContent(cursor);
  if (cursor.indent === -1) return undefined;
  const value = yield* readRoot(cursor);
  if (cursor.indent !== -1) throw new NotPlainError(cursor.at, messages.indent);
  return value;
}

/** What a document is; a rest may be had between the items of a list that it is, or that is a field of it. */
function* readRoot(cursor: Cursor): Generator<undefined, unknown> {
  const { indent } = cursor;
  if (isDash(cursor)) return yield* readItems(cursor, indent);
  let key = takeKey(cursor);
  if (key === undefined) return readInline(cursor, -1);
  const reader = new FieldsReader();
  for (; key !== undefined; key = nextKey(cursor, indent)) {
    openField(cursor, reader, key);
    const isList = !key.isMerge && isEndOfLine(cursor) && isListNext(cursor, indent);
    if (isList) reader.fields[key.name] = yield* readItems(cursor, cursor.indent);
    else readField(cursor, reader, key, indent);
  }
  return reader.fields;
}

/** Whether a list of blocks is the value; then the cursor stands on its first dash. */
function isListNext(cursor: Cursor, indent: number): boolean {
  const before = cursor.at;
  finishLine(cursor);
  if (cursor.indent >= indent && isDash(cursor)) return true;
  cursor.at = before;
  return false;
}

/** A node that begins where the cursor stands, and may be a list or map of blocks. */
function readNode(cursor: Cursor, parentIndent: number): unknown {
  if (isDash(cursor)) return nested(cursor, readSequence);
  const key = takeKey(cursor);
  if (key !== undefined) return nested(cursor, (inner, indent) => readMapping(inner, indent, key));
  const code = cursor.text.charCodeAt(cursor.at);
  if (code === codes.pipe || code === codes.greater) {
    // On the line of its dash a block is what it seems; on a line of its own its indent is counted otherwise.
    if (cursor.text.charCodeAt(cursor.at - 2) !== codes.dash) throw new NotPlainError(cursor.at);
  }
  return readInline(cursor, parentIndent);
}

function nested<Value>(cursor: Cursor, read: (cursor: Cursor, indent: number) => Value): Value {
  if (++cursor.depth > DEPTH_LIMIT) throw new NotPlainError(cursor.at, messages.deep);
  const value = read(cursor, cursor.indent);
  cursor.depth--;
  return value;
}

function isDash({ text, at }: Cursor): boolean {
  if (text.charCodeAt(at) !== codes.dash) return false;
  const next = text.charCodeAt(at + 1);
  return next === codes.space || next === codes.newline;
}

function readSequence(cursor: Cursor, indent: number): unknown[] {
  const list: unknown[] = [];
  while (readItem(cursor, list, indent));
  return list;
}

function* readItems(cursor: Cursor, indent: number): Generator<undefined, unknown[]> {
  const list: unknown[] = [];
  while (readItem(cursor, list, indent)) yield;
  return list;
}

/** @returns Whether there is another one. */
function readItem(cursor: Cursor, list: unknown[], indent: number): boolean {
  cursor.trace?.(list, list.length, cursor.at);
  list.push(readItemValue(cursor, indent));
  if (cursor.indent > indent) throw new NotPlainError(cursor.at, messages.indent);
  return cursor.indent === indent && isDash(cursor);
}

function readItemValue(cursor: Cursor, indent: number): unknown {
  const dash = cursor.at++;
  if (isEndOfLine(cursor) || cursor.text.charCodeAt(cursor.at) === codes.ampersand) {
    return readValue(cursor, indent, false);
  }
  // Behind a tab nobody can tell the column.
  if (cursor.text.slice(dash, cursor.at).includes("\t")) throw new NotPlainError(cursor.at, messages.tab);
  cursor.indent = indent + cursor.at - dash;
  return readNode(cursor, indent);
}

interface Key {
  readonly name: string;
  /** Offset of the key. */
  readonly at: number;
  readonly isMerge: boolean;
}

function readMapping(cursor: Cursor, indent: number, firstKey: Key): unknown {
  const reader = new FieldsReader();
  let key: Key | undefined = firstKey;
  while (key !== undefined) {
    openField(cursor, reader, key);
    readField(cursor, reader, key, indent);
    key = nextKey(cursor, indent);
  }
  return reader.fields;
}

function openField(cursor: Cursor, reader: FieldsReader, key: Key): void {
  cursor.trace?.(reader.fields, key.name, key.at);
  if (!key.isMerge) reader.claim(key.name, (why) => fail(key.at, why));
}

function readField(cursor: Cursor, reader: FieldsReader, key: Key, indent: number): void {
  const value = readValue(cursor, indent, true);
  if (key.isMerge) reader.merge(value, (why) => fail(key.at, why));
  else reader.fields[key.name] = value;
}

/** The key of a map's next field; undefined: the map is over. */
function nextKey(cursor: Cursor, indent: number): Key | undefined {
  if (cursor.indent < indent) return undefined;
  if (cursor.indent > indent || isDash(cursor)) throw new NotPlainError(cursor.at, messages.indent);
  const key = takeKey(cursor);
  if (key === undefined) throw new NotPlainError(cursor.at, "a colon is missing behind a key");
  return key;
}

/** The key that begins where the cursor stands, which is then behind its colon; undefined: there is none. */
function takeKey(cursor: Cursor): Key | undefined {
  const { text, at } = cursor;
  const code = text.charCodeAt(at);
  let name: string | undefined;
  if (code === codes.doubleQuote || code === codes.singleQuote) {
    quotedKey.lastIndex = at;
    if (!quotedKey.test(text)) return undefined;
    name = readQuotedInLine(cursor);
  } else {
    name = take(cursor, plainKey)?.[0] ?? take(cursor, wordyKey)?.[0];
    if (name === undefined) return undefined;
    if (name.includes(" #")) {
      // The colon is one of a comment.
      cursor.at = at;
      return undefined;
    }
    if (name.length > KEY_LIMIT || name.endsWith(" ")) throw new NotPlainError(at);
    checkPlainKey(name, (why) => fail(at, why));
  }
  cursor.at++;
  return { name, at, isMerge: name === "<<" && code !== codes.doubleQuote && code !== codes.singleQuote };
}

function fail(at: number, why: string): never {
  throw new NotPlainError(at, why);
}

/** The value behind a colon or a dash. `dashMayFollow`: a list may begin at the very indent of its key. */
function readValue(cursor: Cursor, indent: number, dashMayFollow: boolean): unknown {
  if (!isEndOfLine(cursor)) {
    if (cursor.text.charCodeAt(cursor.at) !== codes.ampersand) return readInline(cursor, indent);
    return readAnchored(cursor, () => readValue(cursor, indent, dashMayFollow));
  }
  finishLine(cursor);
  if (cursor.indent > indent) return readNode(cursor, indent);
  return dashMayFollow && cursor.indent === indent && isDash(cursor) ? nested(cursor, readSequence) : null;
}

/** Goes to what stands next on the line; true: nothing but a comment does, and the cursor is before it. */
function isEndOfLine(cursor: Cursor): boolean {
  const at = skipBlanks(cursor.text, cursor.at);
  const code = cursor.text.charCodeAt(at);
  if (code === codes.newline || (code === codes.hash && at > cursor.at)) return true;
  cursor.at = at;
  return false;
}

/** A value that is neither a list nor a map of blocks. */
function readInline(cursor: Cursor, parentIndent: number): unknown {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case codes.doubleQuote:
    case codes.singleQuote:
      return finish(cursor, readQuoted(cursor, parentIndent));
    case codes.openBracket:
    case codes.openBrace:
      return finish(cursor, readFlow(cursor, parentIndent));
    case codes.asterisk:
      return finish(cursor, readAlias(cursor));
    case codes.pipe:
    case codes.greater:
      return readBlock(cursor, parentIndent);
    default:
      noPlainStart.lastIndex = cursor.at;
      if (noPlainStart.test(cursor.text)) throw new NotPlainError(cursor.at, messages.start);
      if (parentIndent < 0) throw new NotPlainError(cursor.at);
      return readPlain(cursor, parentIndent);
  }
}

function finish<Value>(cursor: Cursor, value: Value): Value {
  finishLine(cursor);
  return value;
}
