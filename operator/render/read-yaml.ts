import { type Event, parseEvents, YAMLException } from "js-yaml";
import { DocumentError } from "./document-error.ts";
import { countLines, type YamlDocument } from "./split-documents.ts";
import { tidyBrackets } from "./tidy-brackets.ts";
import { describeProblem, messages } from "./yaml-errors.ts";
import { DEPTH_LIMIT, type Trace, toPlainValue } from "./yaml-values.ts";

/**
 * Maximum size of a document that is not a list, in characters: etcd accepts objects of 1.5 MiB, and it is parsed
 * without a pause.
 */
const SINGLE_LIMIT = 1_572_864;

/**
 * The value of a YAML document; undefined or null if it has none. js-yaml parses the nodes, without a pause; their
 * values are computed here, in the same way as in kubectl, with pauses.
 *
 * @throws {DocumentError}
 */
export function* readYaml(
  { text, firstLine }: YamlDocument,
  { trace }: { readonly trace?: Trace } = {},
): Generator<undefined, unknown> {
  if (text.length > SINGLE_LIMIT && !/^items:/m.test(text)) {
    throw new DocumentError("is larger than the limit for an object", {
      reason: "RenderLimit",
      line: firstLine,
    });
  }
  // Line breaks are at the same offsets: lines can be counted in either text.
  const parsed = parse(text, firstLine);
  yield;
  const lineOf = (offset: number): number => firstLine + countLines(parsed.text, 0, offset);
  return yield* toPlainValue(parsed.events, { text: parsed.text, lineOf, trace });
}

interface Parsed {
  readonly text: string;
  readonly events: Event[];
}

/**
 * js-yaml also counts content of the deepest list, and brackets as one level more: {@link toPlainValue} counts exactly.
 */
const options = { maxDepth: DEPTH_LIMIT + 2 };

function parse(text: string, firstLine: number): Parsed {
  const events = eventsOf(text);
  if (!(events instanceof YAMLException)) return { text, events };
  if (events.reason !== "deficient indentation") return fail(text, events, firstLine);
  const tidied = tidyBrackets(text);
  const again = eventsOf(tidied.text);
  // An error may be behind indentation that only had to be corrected.
  if (again instanceof YAMLException) return fail(tidied.text, again, firstLine);
  return tidied.isSame(again) ? { text: tidied.values, events: again } : fail(text, events, firstLine);
}

function eventsOf(text: string): Event[] | YAMLException {
  try {
    return parseEvents(text, options);
  } catch (error) {
    if (error instanceof YAMLException) return error;
    throw error;
  }
}

function fail(text: string, error: YAMLException, firstLine: number): never {
  const { message, at } = describeProblem(text, error);
  throw new DocumentError(message, {
    reason: message === messages.deep ? "RenderLimit" : "RenderFailed",
    line: firstLine + countLines(text, 0, at),
  });
}

/**
 * The line of a field, or of the nearest parent; undefined if it cannot be determined. Parses the document again.
 *
 * @param path Keys and indexes.
 */
export function locateInYaml(document: YamlDocument, path: readonly (string | number)[]): number | undefined {
  if (document.text.length > SINGLE_LIMIT) return undefined;
  const offsets = new Map<unknown, Map<string | number, number>>();
  const trace = (container: object, key: string | number, at: number): void => {
    offsets.getOrInsertComputed(container, () => new Map()).set(key, at);
  };
  try {
    const reading = readYaml(document, { trace });
    let step = reading.next();
    while (!step.done) step = reading.next();
    let value: unknown = step.value;
    let found: number | undefined;
    for (const key of path) {
      const at = offsets.get(value)?.get(key);
      if (at === undefined) break;
      found = at;
      value = (value as Readonly<Record<string | number, unknown>>)[key];
    }
    return found === undefined ? undefined : document.firstLine + countLines(document.text, 0, found);
  } catch {
    // A JSON text may contain characters that YAML forbids.
    return undefined;
  }
}
