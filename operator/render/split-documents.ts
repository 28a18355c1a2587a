/** One document of a YAML file. */
export interface YamlDocument {
  /** Text of the document. It ends with a line feed and includes its `---` line, if any. */
  readonly text: string;
  /** Line of the file at which the text begins, counted from 1. */
  readonly firstLine: number;
}

const [tab, newline, space, hash, dash] = [9, 10, 32, 35, 45];
/** Not `^`, which also matches after U+2028 and U+2029: these end no line in YAML 1.2. */
const separator = /(?<![^\n])(?:---|\.\.\.)(?=[ \t\n])/g;
/** Number of empty documents that are skipped without a pause. */
const AT_ONCE = 10_000;

/**
 * The documents of a YAML text, without empty ones. The end of a document is unambiguous: nothing inside a document
 * begins a line with `---` or `...`. Yields undefined where the caller may pause.
 *
 * @param text Lines end with line feeds, including the last one.
 */
export function* splitDocuments(text: string): Generator<YamlDocument | undefined> {
  let start = 0;
  let firstLine = 1;
  let passed = 0;
  for (const { 0: mark, index } of text.matchAll(separator)) {
    if (index > start) yield* documentIn(text.slice(start, index), firstLine);
    firstLine += countLines(text, start, index);
    // The line that ends a document belongs to no document.
    start = mark === "..." ? text.indexOf("\n", index) + 1 : index;
    if (mark === "...") firstLine += 1;
    if (++passed % AT_ONCE === 0) yield;
  }
  yield* documentIn(text.slice(start), firstLine);
}

function* documentIn(text: string, firstLine: number): Generator<YamlDocument> {
  if (contentStart(text) !== -1) yield { text, firstLine };
}

/** Offset of the first line that contains more than a comment, a bare `---` or a directive without effect; or -1. */
function contentStart(text: string): number {
  let line = 0;
  while (line < text.length) {
    const first = text.charCodeAt(line);
    const isMark = first === dash && text.startsWith("---", line);
    const at = skipBlanks(text, isMark ? line + 3 : line);
    const code = text.charCodeAt(at);
    const isBare = code === newline || code === hash;
    if (!(isBare || text.startsWith("%YAML 1.", line))) return line;
    const end = text.indexOf("\n", at);
    if (end === -1) return -1;
    line = end + 1;
  }
  return -1;
}

/** Line feeds of a text from one offset up to another. */
export function countLines(text: string, start: number, end: number): number {
  let count = 0;
  // Character by character: searching line by line takes seven times as long if lines are short.
  for (let at = start; at < Math.min(end, text.length); at++) if (text.charCodeAt(at) === newline) count++;
  return count;
}

/** Line of the file at which a document's content begins. */
export function contentLineOf({ text, firstLine }: YamlDocument): number {
  return firstLine + countLines(text, 0, contentStart(text));
}

/** Offset of the first character, from `at` on, that is neither a space nor a tab. */
function skipBlanks(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) === space || text.charCodeAt(next) === tab) next++;
  return next;
}
