import type { FolderFiles } from "../../engine/git-objects.ts";
import { COMMIT_PART_BYTES } from "./messages.ts";

/** One folder as a commit leaves it: whole, or gone. */
export interface FolderChange {
  /** Path in the repository. */
  readonly path: string;
  /** Undefined: the folder is removed. */
  readonly files: FolderFiles | undefined;
}

export interface CommitInput {
  /** Undefined: the first commit of the branch. */
  readonly parent: string | undefined;
  readonly message: string;
  readonly committedAt: Date;
  readonly folders: readonly FolderChange[];
  /** Single files outside folders of resources. */
  readonly files: FolderFiles;
}

/** Who our commits say they are by. */
const COMMITTER = "Fairlead <fairlead@noreply.fairlead.dev>";

/**
 * One commit as `git fast-import` reads it. It is in the clone when the commit's id is printed. No work tree, no index:
 * what is not named here stays as it is in the parent.
 */
export function* commitStream({
  parent,
  message,
  committedAt,
  folders,
  files,
}: CommitInput): Generator<string> {
  const seconds = Math.floor(committedAt.getTime() / 1_000);
  // fast-import remembers where the name was, and would take that for the parent.
  if (parent === undefined) yield "reset refs/fairlead/next\n\n";
  yield `commit refs/fairlead/next\nmark :1\ncommitter ${COMMITTER} ${seconds} +0000\n${dataOf(message)}`;
  if (parent !== undefined) yield `from ${parent}\n`;
  for (const folder of folders) {
    // Whatever is there goes first: git is content if nothing is.
    yield `D ${quoted(folder.path)}\n`;
    for (const [name, content] of folder.files ?? []) yield fileOf(`${folder.path}/${name}`, content);
  }
  for (const [path, content] of files) yield fileOf(path, content);
  yield "\ncheckpoint\nget-mark :1\n";
}

function fileOf(path: string, content: string): string {
  return `M 100644 inline ${quoted(path)}\n${dataOf(content)}`;
}

function dataOf(content: string): string {
  return `data ${Buffer.byteLength(content)}\n${content}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** A part of the stream of a commit. */
export interface CommitPart {
  readonly part: Buffer;
  readonly isLast: boolean;
}

/** Cuts the stream of a commit into parts of bounded size; at least one. What is read of it is one part ahead. Pure. */
export function* commitParts(stream: Iterable<string>): Generator<CommitPart> {
  let last: Buffer | undefined;
  for (const part of partsOf(stream)) {
    if (last !== undefined) yield { part: last, isLast: false };
    last = part;
  }
  yield { part: last ?? Buffer.alloc(0), isLast: true };
}

function* partsOf(stream: Iterable<string>): Generator<Buffer> {
  let text = "";
  for (const piece of stream) {
    text += piece;
    if (text.length < COMMIT_PART_BYTES / 4) continue;
    yield* cut(text);
    text = "";
  }
  if (text !== "") yield* cut(text);
}

function* cut(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += COMMIT_PART_BYTES)
    yield bytes.subarray(at, at + COMMIT_PART_BYTES);
}
