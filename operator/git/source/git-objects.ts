import type { SourceCommit } from "./ports.ts";

export type EntryKind = "tree" | "file" | "symlink" | "submodule";

/** One line of a tree object. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly id: string;
}

/** The fields of a commit object that the operator uses. */
export interface CommitObject {
  readonly commit: SourceCommit;
  readonly tree: string;
  readonly parents: readonly string[];
}

const kinds: Readonly<Record<string, EntryKind>> = {
  "40000": "tree",
  "120000": "symlink",
  "160000": "submodule",
};

/** Maximum characters that are read of a commit's header, of one of its lines and of its message. */
const HEADER_BYTES = 65_536;
const LINE_BYTES = 4_096;
/** Number of parents that are read. Only the first one is followed. */
const PARENTS = 100;

/**
 * Reads a tree object: `<mode> <name>\0<id>`, one after the other, in git's order. Pure.
 *
 * @param hashBytes 20 for SHA-1, 32 for SHA-256.
 * @throws RangeError if it is not a tree object.
 */
export function readTree(body: Buffer, hashBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at);
    const end = body.indexOf(0, blank);
    if (blank < 0 || end < 0 || end + hashBytes >= body.length)
      throw new RangeError("Cannot read a tree: it is truncated");
    const mode = body.toString("latin1", at, blank);
    const id = body.toString("hex", end + 1, end + 1 + hashBytes);
    entries.push({ name: body.toString("utf8", blank + 1, end), kind: kinds[mode] ?? "file", id });
    at = end + 1 + hashBytes;
  }
  return entries;
}

/**
 * Reads a commit object. Pure. Times that git could not have written become 1970.
 *
 * @throws RangeError if it is not a commit object.
 */
export function readCommit(id: string, body: Buffer): CommitObject {
  const end = body.indexOf("\n\n");
  const headers = [...headersOf(body.subarray(0, Math.min(end < 0 ? body.length : end, HEADER_BYTES)))];
  const tree = headers[0]?.startsWith("tree ") === true ? headers[0].slice(5) : undefined;
  if (tree === undefined) throw new RangeError("Cannot read a commit: it names no tree");
  const parents = headers.filter((line) => line.startsWith("parent ")).map((line) => line.slice(7));
  const author = signatureOf(headers, "author ");
  const message = end < 0 ? "" : body.toString("utf8", end + 2, end + 2 + LINE_BYTES);
  const subject = message.trimStart().split("\n", 1)[0] ?? "";
  return {
    commit: {
      id,
      author: cleaned(author.name, 100) || cleaned(author.address, 100),
      subject: cleaned(subject, 200),
      committedAt: signatureOf(headers, "committer ").at,
    },
    tree,
    parents: parents.slice(0, PARENTS),
  };
}

/** Lines of a commit's header, each as a copy: a slice of a text keeps the whole text in memory. */
function* headersOf(header: Buffer): Generator<string> {
  for (let at = 0; at < header.length; ) {
    const newline = header.indexOf(0x0a, at);
    const end = newline < 0 ? header.length : newline;
    yield header.toString("utf8", at, Math.min(end, at + LINE_BYTES));
    at = end + 1;
  }
}

/** Parses `Name <address> 1700000000 +0100` in the first header with this prefix. */
function signatureOf(
  headers: readonly string[],
  header: string,
): { readonly name: string; readonly address: string; readonly at: string } {
  const line = headers.find((each) => each.startsWith(header))?.slice(header.length) ?? "";
  const open = line.indexOf("<");
  const close = open < 0 ? -1 : line.indexOf(">", open);
  const [name, address] = close < 0 ? ["", ""] : [line.slice(0, open), line.slice(open + 1, close)];
  const [, seconds = "0"] = close < 0 ? [] : (/^ (-?\d{1,15})/.exec(line.slice(close + 1, close + 20)) ?? []);
  const date = new Date(Number(seconds) * 1_000);
  const at = Number.isNaN(date.getTime()) ? new Date(0) : date;
  return { name, address, at: at.toISOString().replace(".000Z", "Z") };
}

function cleaned(text: string, length: number): string {
  // Removes control characters (Cc), bidirectional controls (Cf) and Unicode line ends, because the text is shown in
  // tables and terminals. It is cut first, to limit the time for long texts; rarely is anything removed.
  const clean = text.slice(0, 4 * length).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "");
  return clean.trim().slice(0, length).toWellFormed();
}
