import { isUtf8 } from "node:buffer";
import { DocumentError } from "./document-error.ts";
import { JsonTextError } from "./json-scanner.ts";
import { readJson } from "./json-text.ts";
import { locateInYaml, readYaml } from "./read-yaml.ts";
import { contentLineOf, countLines, splitDocuments } from "./split-documents.ts";

/** Value of the document. */
export interface ReadDocument {
  readonly value: unknown;
  /** Line of the file at which its content begins. */
  readonly line: number;
  /** The line of one of its fields, if it can be determined. */
  readonly lineOf: (path: readonly (string | number)[]) => number | undefined;
}

/** Characters that YAML does not allow in a file, such as most control characters (section 5.1). */
const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to find control characters
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * The documents of one file, in their order, without empty ones. Parses each document on demand, so that the caller may
 * pause between them, and yields undefined where it may pause within one.
 *
 * @param path Its extension selects the format: `.json` is one JSON text, everything else is YAML.
 * @throws {DocumentError}
 */
export function* readDocuments(path: string, content: Buffer): Generator<ReadDocument | undefined> {
  const text = yield* decode(content);
  yield;
  if (path.endsWith(".json")) {
    if (text.trim() === "") return;
    const line = 1 + countLines(text, 0, text.length - text.trimStart().length);
    yield {
      value: yield* readJsonFile(text),
      line,
      lineOf: (field) => locateInYaml({ text, firstLine: 1 }, field),
    };
    return;
  }
  for (const document of splitDocuments(text)) {
    if (document === undefined) {
      yield;
      continue;
    }
    const value = yield* readYaml(document);
    if (value === undefined || value === null) continue;
    yield {
      value,
      line: contentLineOf(document),
      lineOf: (field) => locateInYaml(document, field),
    };
  }
}

/**
 * Replaces each CR and CRLF with LF. Works on bytes, because on text every replacement allocates: 0.4 s for 4 MiB of CR.
 */
function withLineFeeds(content: Buffer): Buffer {
  const result = Buffer.allocUnsafe(content.length);
  let length = 0;
  for (let at = 0; at < content.length; at++) {
    const isReturn = content[at] === carriageReturn;
    if (isReturn && content[at + 1] === lineFeed) at++;
    result[length++] = isReturn ? lineFeed : (content[at] ?? 0);
  }
  return result.subarray(0, length);
}

/** The text with line feeds only, and with one at its end. Yields between its steps. */
function* decode(content: Buffer): Generator<undefined, string> {
  if (!isUtf8(content)) throw new DocumentError("is not UTF-8 text", { line: 1 });
  const bytes = content.includes(carriageReturn) ? withLineFeeds(content) : content;
  // Each of these steps takes up to 20 ms for 4 MiB.
  yield;
  const encoded = bytes.toString("utf8");
  yield;
  const text = encoded.startsWith("\ufeff") ? encoded.slice(1) : encoded;
  const found = text.search(forbidden);
  if (found !== -1) {
    throw new DocumentError("has a control character; write it in double quotes as \\u and four digits", {
      line: 1 + countLines(text, 0, found),
    });
  }
  return text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * Parses a JSON file; see {@link readJson}. Yields regularly.
 *
 * @throws {DocumentError} with the line; the message quotes nothing from the file except names of keys.
 */
function* readJsonFile(text: string): Generator<undefined, unknown> {
  try {
    return yield* readJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    // A truncated file is reported at its last line with content.
    const line = 1 + countLines(text, 0, Math.min(error.at, text.trimEnd().length));
    throw new DocumentError(error.message, { line, reason: error.isLimit ? "RenderLimit" : "RenderFailed" });
  }
}
