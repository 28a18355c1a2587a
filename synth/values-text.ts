import { parseDocument } from "yaml";

/** A file of values that is not YAML, or not a map. */
export class ValuesTextError extends Error {
  override readonly name = "ValuesTextError";
}

/**
 * Parses the text of a file of values, which is one YAML map; an empty text has none. The values are not validated here.
 *
 * @throws ValuesTextError with the position of the error.
 */
export function parseValues(text: string, file: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw new ValuesTextError(`Cannot read "${file}": ${error.message.trim()}`);
  const values: unknown = document.toJS() ?? {};
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new ValuesTextError(`Cannot read "${file}": expected a map of values`);
  }
  return values as Readonly<Record<string, unknown>>;
}
