import { EVENT_ID, type Event } from "js-yaml";
import { isQuoted } from "./yaml-scalars.ts";

/** The end of a list or map in brackets, or of a quoted text, at the start of a line. */
const closer = /^ *(?:[\]}]|["'][ \t]*(?:[ \t]#[^\n]*)?$)/;
/**
 * The end of a line that is followed by a block scalar. `[^\n]`, because a line may contain characters that `.` does not match:
 * then each `|#` would read the rest of the line.
 */
const blockHeader = /[|>][-+0-9]*[ \t]*(?:#[^\n]*)?$/;

const WIDER = " ".repeat(8);

/** A text with corrected indentation. js-yaml rejects the original, and go-yaml accepts it. */
export interface Tidied {
  /** Text for js-yaml. */
  readonly text: string;
  /** Text from which values are taken, at the same offsets. */
  readonly values: string;
  /** Whether the events of the text show that the values have not changed. */
  readonly isSame: (events: readonly Event[]) => boolean;
}

/**
 * Indents each line that begins with the end of a list, map or text by some spaces, because the specification does not
 * allow it at the indentation of its key or less. Replaces tabs between brackets with spaces. Values change only if a
 * line of an unquoted text is indented.
 */
export function tidyBrackets(text: string): Tidied {
  const offsets: number[] = [];
  const lines: string[] = [];
  let [offset, blockIndent] = [0, Number.POSITIVE_INFINITY];
  for (const line of text.split("\n")) {
    const indent = line.length - line.trimStart().length;
    const isInBlock = indent > blockIndent || indent === line.length;
    if (!isInBlock) blockIndent = blockHeader.test(line) ? indent : Number.POSITIVE_INFINITY;
    const isCloser = !isInBlock && closer.test(line);
    if (isCloser) offsets.push(offset);
    const wide = isCloser ? WIDER + line : line;
    lines.push(wide);
    offset += wide.length + 1;
  }
  const values = lines.join("\n");
  return {
    text: values.replace(/(?<=[,:[{]) *\t[ \t]*/g, (blanks) => " ".repeat(blanks.length)),
    values,
    isSame: (events) => !isWithinText(events, offsets),
  };
}

/** Whether one of the offsets, which are in ascending order, is in an unquoted text. */
function isWithinText(events: readonly Event[], offsets: readonly number[]): boolean {
  let next = 0;
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || isQuoted(event)) continue;
    while ((offsets[next] ?? Number.POSITIVE_INFINITY) < event.valueStart) next++;
    if ((offsets[next] ?? Number.POSITIVE_INFINITY) < event.valueEnd) return true;
  }
  return false;
}
