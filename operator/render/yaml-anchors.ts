import { type Cursor, codes, messages, NotPlainError, skipBlanks, take } from "./yaml-cursor.ts";

/** What the aliases of one document may stand for in all, in characters. */
export const ALIAS_LIMIT = 1_048_576;

const anchorName = /&([^\s,[\]{}]{1,200})(?=[\s,[\]{}])/y;
const aliasName = /\*([^\s,[\]{}]{1,200})(?=[\s,[\]{}])/y;

/** Reads a value that an anchor stands before. */
export function readAnchored<Value>(cursor: Cursor, read: () => Value): Value {
  const start = cursor.at;
  const before = cursor.aliasWeight;
  const name = take(cursor, anchorName)?.[1];
  const next = cursor.text.charCodeAt(skipBlanks(cursor.text, cursor.at));
  if (name === undefined || next === codes.ampersand || next === codes.asterisk)
    throw new NotPlainError(start);
  cursor.anchors.set(name, undefined);
  const value = read();
  cursor.anchors.set(name, { value, weight: cursor.at - start + cursor.aliasWeight - before });
  return value;
}

/** The value that an alias stands for. The same object every time: whoever changes it copies it before. */
export function readAlias(cursor: Cursor): unknown {
  const start = cursor.at;
  const name = take(cursor, aliasName)?.[1];
  if (name === undefined) throw new NotPlainError(start);
  const anchored = cursor.anchors.get(name);
  if (anchored === undefined) throw new NotPlainError(start, aliasProblem(cursor.anchors.has(name)));
  cursor.aliasWeight += anchored.weight;
  if (cursor.aliasWeight > ALIAS_LIMIT) throw new NotPlainError(start, messages.aliases);
  return anchored.value;
}

/** What is wrong with an alias whose anchor has no value. It goes unnamed: a password without quotes may begin with `*`. */
export function aliasProblem(isInside: boolean): string {
  return isInside
    ? "an alias stands inside of its own anchor"
    : "an alias names an anchor that is not there; a text that begins with * must stand in quotes";
}
