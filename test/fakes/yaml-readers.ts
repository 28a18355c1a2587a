import { isScalar, parseDocument, visit } from "yaml";
import { readYaml } from "../../operator/render/read-yaml.ts";
import { resolvePlain } from "../../operator/render/resolve-scalar.ts";

/** The reader's result for a text, or its error. */
export function read(text: string): unknown {
  const reading = readYaml({ text, firstLine: 1 });
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value ?? null;
}

/** The reader's result for a text; its error as "line: message" if it rejects it. */
export function readOrRefuse(text: string): { readonly value: unknown } | { readonly refused: string } {
  try {
    return { value: read(text) };
  } catch (error) {
    if (!(error instanceof Error && error.name === "DocumentError")) throw error;
    const { line, message } = error as Error & { readonly line: number };
    return { refused: `${line}: ${message}` };
  }
}

/**
 * The result of another parser, the package yaml, for a text with the operator's rules for scalars; undefined if it
 * rejects it.
 */
export function readOtherwise(text: string): unknown {
  const document = parseDocument(text, {
    version: "1.1",
    schema: "failsafe",
    merge: true,
    uniqueKeys: false,
    logLevel: "silent",
  });
  if (document.errors.length > 0) return undefined;
  visit(document, {
    Scalar: (role, node) => {
      if (role === "key" || node.tag !== undefined) return;
      if (node.type === "PLAIN" || node.type === undefined)
        node.value = resolvePlain(String(node.value ?? ""));
    },
  });
  const { contents } = document;
  if (isScalar(contents)) return contents.value;
  try {
    return document.toJS() as unknown;
  } catch {
    // An unknown alias, or a merge of text.
    return undefined;
  }
}
