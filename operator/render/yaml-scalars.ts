import { resolvePlain, type Scalar, unreadable } from "./resolve-scalar.ts";
import {
  type Cursor,
  codes,
  messages,
  NotPlainError,
  skipBlanks,
  take,
  toNextContent,
} from "./yaml-cursor.ts";

const blockHeader = /([|>])([+-]?)([1-9]?)([+-]?)[ \t]*(?:[ \t]#[^\n]*)?\n/y;

/** Without the blanks at its end; a regular expression would look at each run of them once per blank. */
export function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === codes.space || line.charCodeAt(end - 1) === codes.tab))
    end--;
  return end === line.length ? line : line.slice(0, end);
}

/** A plain scalar, which may go on over lines that are further in than `parentIndent`. */
export function readPlain(cursor: Cursor, parentIndent: number): Scalar {
  const { text } = cursor;
  const start = cursor.at;
  let { line, isCommented } = takePlainLine(cursor);
  for (;;) {
    let at = cursor.at;
    let blanks = 0;
    let from = at;
    for (;;) {
      from = at;
      while (text.charCodeAt(at) === codes.space) at++;
      const end = skipBlanks(text, at);
      if (text.charCodeAt(end) !== codes.newline) break;
      at = end + 1;
      blanks++;
    }
    const code = text.charCodeAt(at);
    if (at >= text.length || at - from <= parentIndent || code === codes.hash) break;
    if (isCommented || code === codes.tab) throw new NotPlainError(at);
    cursor.at = at;
    const next = takePlainLine(cursor);
    line += (blanks === 0 ? " " : "\n".repeat(blanks)) + next.line;
    isCommented = next.isCommented;
  }
  const value = resolvePlain(line);
  if (value === unreadable) throw new NotPlainError(start, messages.number);
  toNextContent(cursor);
  return value;
}

function takePlainLine(cursor: Cursor): { readonly line: string; readonly isCommented: boolean } {
  const end = cursor.text.indexOf("\n", cursor.at);
  const whole = cursor.text.slice(cursor.at, end);
  const comment = whole.includes("#") ? whole.search(/[ \t]#/) : -1;
  const line = trimBlanks(comment === -1 ? whole : whole.slice(0, comment));
  if (line.endsWith(":") || line.includes(": ") || line.includes(":\t")) {
    throw new NotPlainError(cursor.at, messages.colon);
  }
  cursor.at = end + 1;
  return { line, isCommented: comment !== -1 };
}

/** A literal (`|`) or folded (`>`) block, whose lines are further in than `parentIndent`. */
export function readBlock(cursor: Cursor, parentIndent: number): string {
  const start = cursor.at;
  const [, style, before, digit, after] = take(cursor, blockHeader) ?? [];
  if (style === undefined || (before && after) || parentIndent < 0) throw new NotPlainError(start);
  const indent = digit ? parentIndent + Number(digit) : indentOfBlock(cursor, parentIndent);
  const lines = takeBlockLines(cursor, indent);
  let count = lines.length;
  while (count > 0 && lines[count - 1] === "") count--;
  const trailing = lines.length - count;
  lines.length = count;
  const body = style === "|" ? lines.join("\n") : foldBlock(lines);
  toNextContent(cursor);
  if (before === "-" || after === "-") return body;
  if (before === "+" || after === "+") return (count === 0 ? "" : `${body}\n`) + "\n".repeat(trailing);
  return count === 0 ? "" : `${body}\n`;
}

/** The indent of a block's first line that is not blank; one more than the parent's if there is none. */
function indentOfBlock({ text, at: start }: Cursor, parentIndent: number): number {
  let longestBlank = 0;
  for (let line = start; ; ) {
    let at = line;
    while (text.charCodeAt(at) === codes.space) at++;
    const indent = at - line;
    if (text.charCodeAt(at) === codes.newline) {
      longestBlank = Math.max(longestBlank, indent);
      line = at + 1;
      continue;
    }
    const isEmpty = at >= text.length || indent <= parentIndent;
    if (longestBlank > (isEmpty ? parentIndent + 1 : indent)) throw new NotPlainError(at);
    return isEmpty ? parentIndent + 1 : indent;
  }
}

function takeBlockLines(cursor: Cursor, indent: number): string[] {
  const { text } = cursor;
  const lines: string[] = [];
  let line = cursor.at;
  while (line < text.length) {
    let at = line;
    while (at - line < indent && text.charCodeAt(at) === codes.space) at++;
    const code = text.charCodeAt(at);
    if (code === codes.newline) {
      lines.push("");
      line = at + 1;
      continue;
    }
    if (at - line < indent) {
      if (code === codes.tab) throw new NotPlainError(at, messages.tab);
      break;
    }
    const end = text.indexOf("\n", at);
    lines.push(text.slice(at, end));
    line = end + 1;
  }
  cursor.at = line;
  return lines;
}

/** Joins lines as libyaml does: those that are further in, and their neighbours, keep their breaks. */
function foldBlock(lines: readonly string[]): string {
  let text = "";
  let blanks = 0;
  let previous: "none" | "flush" | "further" = "none";
  for (const line of lines) {
    if (line === "") {
      blanks++;
      continue;
    }
    const isFurther = line.startsWith(" ") || line.startsWith("\t");
    if (previous === "flush" && !isFurther) text += blanks === 0 ? " " : "";
    else if (previous !== "none") text += "\n";
    text += "\n".repeat(blanks) + line;
    blanks = 0;
    previous = isFurther ? "further" : "flush";
  }
  return text;
}
