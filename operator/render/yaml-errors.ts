import type { YAMLException } from "js-yaml";
import { showText } from "../engine/show-text.ts";

/** Messages about invalid YAML. They contain only names of keys, because the file may be a Secret. */
export const messages = {
  indent: "the indentation does not match the lines above",
  colon: "a text with a colon and a space must be in quotes",
  quote: "a quote is missing",
  tab: "a tab is used to indent; YAML allows only spaces",
  bracket: "a bracket or a comma is missing",
  start: "a text that begins with this character must be in quotes",
  space: "a space is missing after a colon",
  more: "there is text after the end of a value; if it belongs to the value, put the whole value in quotes",
  deep: "is nested too deeply",
  aliases: "its aliases expand to too much data",
  // It is not named: a password without quotes may begin with `*`.
  alias: "an alias refers to an anchor that does not exist; a text that begins with * must be in quotes",
  ownAlias: "an alias is inside its own anchor",
  tag: "a tag is not supported; a text that begins with ! must be in quotes",
  number: "a number is too large or not a number; put it in quotes if it is text",
  block:
    "after | or > there may be a digit from 1 to 9 and one of + and -, and the text begins on the next line",
  key: (name: string): string => `the key ${showText(name, { longest: 60 })} is not text; put it in quotes`,
} as const;

/** Messages of js-yaml and their replacements: some of the original messages quote the file. The first match is used. */
const known: readonly (readonly [RegExp, string])[] = [
  [/maxDepth/, messages.deep],
  [/quoted scalar/, messages.quote],
  [/^tab /, messages.tab],
  [/escape|hexadecimal/, "an escape in double quotes is unknown; write a backslash as \\\\"],
  [
    /non-printable|JSON character/,
    "has a control character; write it in double quotes as \\u and four digits",
  ],
  [/^deficient/, "the indentation does not match the lines above, or a bracket is missing there"],
  [/flow collection|node content/, messages.bracket],
  [/duplication of an anchor/, "a value has several anchors"],
  [/name of an a/, "an anchor or an alias has no name; a text that begins with & or * must be in quotes"],
  [/alias node/, "an alias has an anchor or a tag"],
  [/directive/, "a % directive is not supported"],
  [/\btag\b/, messages.tag],
  [/chomping|width|line break/, messages.block],
  [/whitespace/, messages.space],
  [/expected ':'/, "a colon is missing after a key"],
  [/multiline key/, "a key spans several lines; a colon is missing, or the text must be in quotes"],
];

/** Message about a text that js-yaml cannot parse, and its offset. Pure. */
export function describeProblem(
  text: string,
  { reason, mark }: YAMLException,
): { readonly message: string; readonly at: number } {
  let at = mark?.position ?? 0;
  // For these errors js-yaml reports the end of the text: the last line with content is meant.
  if (/multiline key|unexpected end/.test(reason)) at = Math.max(0, text.slice(0, at).trimEnd().length - 1);
  const quote = /quoted scalar|deficient/.test(reason) ? openQuote(text, at) : undefined;
  if (quote !== undefined) return { message: messages.quote, at: quote };
  const message = known.find(([pattern]) => pattern.test(reason))?.[1] ?? misplaced(text, at);
  return { message, at };
}

/** Message about content at a position where it is not allowed. */
function misplaced(text: string, at: number): string {
  const code = text.charAt(at);
  if (code === ":") return messages.colon;
  if (/[@`%,[\]{}&*!|>'"]/.test(code)) return messages.start;
  const isFirst = text.slice(text.lastIndexOf("\n", at - 1) + 1, at).trim() === "";
  return isFirst ? messages.indent : messages.more;
}

/** Offset of an opening quote without a closing one before `end`; undefined if there is none. */
function openQuote(text: string, end: number): number | undefined {
  for (let at = end - 1; at >= 0; at--) {
    const quote = text.charAt(at);
    if (quote !== '"' && quote !== "'") continue;
    // Two quotes, or one after a backslash, are part of the text.
    if (quote === "'" && text.charAt(at - 1) === "'") at--;
    else if (/^$|[\s[{,]/.test(text.charAt(at - 1))) return at;
    else if (text.charAt(at - 1) !== "\\") return undefined;
  }
  return undefined;
}
