import { type Document, LineCounter, parseDocument } from "yaml";
import { DocumentError } from "./document-error.ts";
import { messages } from "./yaml-cursor.ts";
import { errorTexts } from "./yaml-error-texts.ts";
import { toPlainValue } from "./yaml-nodes.ts";

/**
 * Largest document, in characters, that the library reads: it takes up to 40 µs for one of them, during which nothing else
 * goes on.
 */
export const LIBRARY_LIMIT = 2_048;

/**
 * Reads one document of any YAML that kubectl takes, slowly, and says well what is wrong with it. Scalars are resolved as everywhere here.
 *
 * @param text One document, with its `---` line if it has one.
 * @param firstLine Line of the file that the text begins in.
 * @throws {DocumentError} with the line; its text has nothing of what the file says but names of keys and anchors.
 */
export function readWithLibrary(text: string, firstLine: number): unknown {
  const lines = new LineCounter();
  const lineOf = (offset: number): number => firstLine + Math.max(0, lines.linePos(offset).line - 1);
  const document = parse(text, lines, firstLine);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new DocumentError(errorTexts[error.code], { line: lineOf(error.pos[0]) });
  }
  return toPlainValue(document.contents, lineOf);
}

function parse(text: string, lineCounter: LineCounter, firstLine: number): Document.Parsed {
  try {
    return parseDocument(text, {
      version: "1.1",
      // All scalars stay text, and tags stay names: their meaning is decided in one place, for both readers.
      schema: "failsafe",
      merge: false,
      // The library compares every key with every other; ours are looked up.
      uniqueKeys: false,
      // Its pretty errors quote the file, which may be a Secret.
      prettyErrors: false,
      logLevel: "silent",
      lineCounter,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DocumentError(messages.deep, { reason: "RenderLimit", line: firstLine });
  }
}
