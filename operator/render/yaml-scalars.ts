import { type EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from "js-yaml";
import { resolvePlain, unreadable } from "./resolve-scalar.ts";
import { messages } from "./yaml-errors.ts";
import type { Fail } from "./yaml-fields.ts";

export type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
export type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;

/** Whether a scalar is a literal (`|`) or folded (`>`) block of text. */
export function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

/** Whether a scalar is quoted. */
export function isQuoted({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

/** The text of a scalar, without quotes and escapes. */
export function textOf(source: string, event: ScalarEvent, fail: Fail): string {
  if (event.style !== SCALAR_STYLE.DOUBLE_QUOTED || event.fast) return getScalarValue(source, event);
  const raw = keepBlankLines(source.slice(event.valueStart, event.valueEnd));
  const text = getScalarValue(raw, { ...event, valueStart: 0, valueEnd: raw.length });
  if (hasEscapeOutside(raw) || !text.isWellFormed())
    fail("an escape in double quotes is not a valid character");
  return text;
}

/** Blank lines after an escaped line break are line breaks: js-yaml drops them. */
function keepBlankLines(raw: string): string {
  if (!raw.includes("\\\n")) return raw;
  return raw.replace(/\\(?:\n((?:[ \t]*\n)+)[ \t]*|[\s\S])/g, (whole, blank?: string) =>
    blank === undefined ? whole : blank.replace(/[ \t]*\n/g, "\\n"),
  );
}

/** For an escape of eight digits beyond the last Unicode character js-yaml returns an arbitrary character. */
function hasEscapeOutside(raw: string): boolean {
  if (!raw.includes("\\U")) return false;
  for (const [, digits = "0"] of raw.matchAll(/\\(?:U([0-9a-fA-F]{8})|[\s\S])/g))
    if (Number.parseInt(digits, 16) > 0x10ffff) return true;
  return false;
}

/** Whether a colon directly follows a scalar, and a bracket or comma follows the colon. */
export function hasTightColon(source: string, { valueEnd }: ScalarEvent): boolean {
  let at = valueEnd;
  while (source.charAt(at) === " " || source.charAt(at) === "\t") at++;
  return /^:[,[\]{}]/.test(source.slice(at, at + 2));
}

/** Value of a scalar, by its tag, its style and its text. */
export function scalarOf(tag: string | undefined, { style }: ScalarEvent, text: string, fail: Fail): unknown {
  if (tag === "!" || tag === "!!str" || (tag === undefined && style !== SCALAR_STYLE.PLAIN)) return text;
  const value = resolvePlain(text);
  if (value === unreadable) return fail(messages.number);
  if (tag === undefined) return value;
  const type = value === null ? "null" : typeof value;
  const fits =
    { "!!int": Number.isInteger(value), "!!float": type === "number" }[tag] ??
    { "!!bool": type === "boolean", "!!null": type === "null" }[tag];
  if (fits === undefined) fail(messages.tag);
  if (!fits) fail("a tag does not match its value");
  return value;
}

/** The anchor of a node; undefined if it has none. */
export function anchorOf(
  source: string,
  { anchorStart, anchorEnd }: ScalarEvent | CollectionEvent,
): string | undefined {
  return anchorStart === -1 ? undefined : source.slice(anchorStart, anchorEnd);
}

/** The tag of a node, with its usual shorthand; undefined if it has none. */
export function tagOf(
  source: string,
  { tagStart, tagEnd }: ScalarEvent | CollectionEvent,
): string | undefined {
  if (tagStart === -1) return undefined;
  const tag = source.slice(tagStart, tagEnd);
  const long = /^!<tag:yaml\.org,2002:([a-z]+)>$/.exec(tag)?.[1];
  return long === undefined ? tag : `!!${long}`;
}

/** Rejects a tag of a list or map other than its default. */
export function checkTag(tag: string | undefined, own: string, fail: Fail): void {
  if (tag !== undefined && tag !== own && tag !== "!") fail(messages.tag);
}
