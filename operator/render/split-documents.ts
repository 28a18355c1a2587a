/** One document of a YAML file. */
export interface YamlDocument {
  /** Ends in a line feed; with its `---` line, if it has one. */
  readonly text: string;
  /** Line of the file that the text begins in, counted from 1. */
  readonly firstLine: number;
}

const [tab, newline, space, hash, dash] = [9, 10, 32, 35, 45];
const separator = /^(?:---|\.\.\.)(?=[ \t\n])/gm;
/** So many documents without content are passed at once. */
const AT_ONCE = 10_000;

/**
 * The documents of a YAML text, those without content left out. Where one ends is plain: nothing inside a document
 * begins a line with `---` or `...`. Gives undefined where one may rest.
 *
 * @param text Lines end in line feeds, the last one too.
 */
export function* splitDocuments(text: string): Generator<YamlDocument | undefined> {
  let start = 0;
  let firstLine = 1;
  let passed = 0;
  for (const { 0: mark, index } of text.matchAll(separator)) {
    if (index > start) yield* documentIn(text.slice(start, index), firstLine);
    firstLine += countLines(text, start, index);
    // What ends a document belongs to none.
    start = mark === "..." ? text.indexOf("\n", index) + 1 : index;
    if (mark === "...") firstLine += 1;
    if (++passed % AT_ONCE === 0) yield;
  }
  yield* documentIn(text.slice(start), firstLine);
}

function* documentIn(text: string, firstLine: number): Generator<YamlDocument> {
  if (contentStart(text) !== -1) yield { text, firstLine };
}

/** Offset of the first line that has more than a comment, a bare `---` or a directive that changes nothing; or -1. */
function contentStart(text: string): number {
  let line = 0;
  while (line < text.length) {
    const first = text.charCodeAt(line);
    const isMark = first === dash && text.startsWith("---", line);
    const at = skipBlanks(text, isMark ? line + 3 : line);
    const code = text.charCodeAt(at);
    const isBare = code === newline || code === hash;
    if (!(isBare || text.startsWith("%YAML 1.", line))) return line;
    line = text.indexOf("\n", at) + 1;
  }
  return -1;
}

/** Line feeds of a text from one offset up to another. */
export function countLines(text: string, start: number, end: number): number {
  let count = 0;
  // Character by character: a search from line to line takes seven times as long where lines are short.
  for (let at = start; at < Math.min(end, text.length); at++) if (text.charCodeAt(at) === newline) count++;
  return count;
}

/** Line of the file that a document's content begins in. */
export function contentLineOf({ text, firstLine }: YamlDocument): number {
  return firstLine + countLines(text, 0, contentStart(text));
}

/** Offset of the first character, from `at` on, that is neither a space nor a tab. */
function skipBlanks(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) === space || text.charCodeAt(next) === tab) next++;
  return next;
}
