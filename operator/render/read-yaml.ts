import { DocumentError } from "./document-error.ts";
import { LIBRARY_LIMIT, readWithLibrary } from "./library-yaml.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { countLines, type YamlDocument } from "./split-documents.ts";
import { messages, NotPlainError } from "./yaml-cursor.ts";

/** The line of its own that opens a document. */
const opening = /^---[ \t]*(?:#[^\n]*)?\n/;

/** Largest document that is no list, in characters: etcd takes objects of 1.5 MiB, and it is read in one go. */
const SINGLE_LIMIT = 1_572_864;

/**
 * The value of a YAML document; undefined or null if it has none. Yields now and then.
 *
 * @throws {DocumentError}
 */
export function* readYaml({ text, firstLine }: YamlDocument): Generator<undefined, unknown> {
  const skipped = openingOf(text);
  if (text.length > SINGLE_LIMIT && !/^items:/m.test(text)) {
    throw new DocumentError("is larger than any object may be", { reason: "RenderLimit", line: firstLine });
  }
  try {
    return yield* readPlainYaml(skipped === 0 ? text : text.slice(skipped));
  } catch (error) {
    // A RangeError is the engine's: a text that its regular expressions have no room for.
    if (!(error instanceof NotPlainError || error instanceof RangeError)) throw error;
    const { at, why } = error instanceof NotPlainError ? error : { at: 0, why: undefined };
    const isLimit = why === messages.deep || why === messages.aliases;
    // What is too much for us is too much for the library, too, and takes it longer to find out.
    if (text.length <= LIBRARY_LIMIT && !isLimit) return readWithLibrary(text, firstLine);
    throw new DocumentError(why ?? unreadableText, {
      reason: isLimit ? "RenderLimit" : "RenderFailed",
      line: firstLine + countLines(text, 0, skipped + at),
    });
  }
}

const unreadableText = `cannot be read: a mistake, or YAML (tags, "?" keys) that is read only in documents of up to ${LIBRARY_LIMIT / 1_024} KiB`;

/**
 * The line of a field, or of the nearest thing around it; undefined if it cannot be told. Reads the document once more.
 *
 * @param path Of keys and indexes.
 */
export function locateInYaml(
  { text, firstLine }: YamlDocument,
  path: readonly (string | number)[],
): number | undefined {
  if (text.length > SINGLE_LIMIT) return undefined;
  const offsets = new Map<unknown, Map<string | number, number>>();
  const trace = (container: object, key: string | number, at: number): void => {
    offsets.getOrInsertComputed(container, () => new Map()).set(key, at);
  };
  const skipped = openingOf(text);
  try {
    const reading = readPlainYaml(text.slice(skipped), { trace });
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
    return found === undefined ? undefined : firstLine + countLines(text, 0, skipped + found);
  } catch {
    // What the library read has the line of its document.
    return undefined;
  }
}

function openingOf(text: string): number {
  return opening.exec(text)?.[0].length ?? 0;
}
