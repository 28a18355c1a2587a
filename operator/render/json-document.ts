import { DocumentError } from "./document-error.ts";
import { JsonTextError } from "./json-scanner.ts";
import { readJson } from "./json-text.ts";
import { countLines } from "./split-documents.ts";

/**
 * Parses a JSON file; see {@link readJson}. Yields regularly.
 *
 * @throws {DocumentError} with the line; the message quotes nothing from the file except names of keys.
 */
export function* readJsonFile(text: string): Generator<undefined, unknown> {
  try {
    return yield* readJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    // A truncated file is reported at its last line with content.
    const line = 1 + countLines(text, 0, Math.min(error.at, text.trimEnd().length));
    throw new DocumentError(error.message, { line, reason: error.isLimit ? "RenderLimit" : "RenderFailed" });
  }
}
