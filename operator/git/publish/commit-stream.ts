import type { FolderFiles } from "../../engine/git-objects.ts";
import { COMMIT_PART_BYTES } from "./messages.ts";

/** The content of one folder after a commit, or its removal. */
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

/** Committer of the operator's commits. */
const COMMITTER = "Fairlead <fairlead@noreply.fairlead.dev>";

/**
 * One commit as `git fast-import` reads it. The clone has the commit once its id is printed. There is no work tree and
 * no index: paths that are not named here stay as they are in the parent.
 */
export function* commitStream({
  parent,
  message,
  committedAt,
  folders,
  files,
}: CommitInput): Generator<string> {
  const seconds = Math.floor(committedAt.getTime() / 1_000);
  // fast-import stores the previous target of the ref, and would use it as the parent.
  if (parent === undefined) yield "reset refs/fairlead/next\n\n";
  yield `commit refs/fairlead/next\nmark :1\ncommitter ${COMMITTER} ${seconds} +0000\n${dataOf(message)}`;
  if (parent !== undefined) yield `from ${parent}\n`;
  for (const folder of folders) {
    // Existing content is removed first; git accepts the removal of a path that does not exist.
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

/** Splits the stream of a commit into parts of bounded size; at least one. It reads one part ahead. Pure. */
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
