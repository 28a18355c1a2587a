import { isUtf8 } from "node:buffer";
import { plain } from "../zone-messages.ts";

/** The author of a commit, and its place in the history. */
export interface AuthoredCommit {
  readonly parents: readonly string[];
  /** Of the committer, in seconds since 1970; 0 if it is none that git writes. */
  readonly committedAt: number;
  /** E-mail address of the author. Undefined: it is ambiguous or invalid. */
  readonly email: string | undefined;
}

/** Longest address, in characters: that of RFC 3696, and of an address in a ReleasePolicy. */
export const EMAIL_CHARACTERS = 320;
/** Longest line of a header that is read, and most parents of a commit. */
const [LINE_BYTES, PARENTS] = [4_096, 100];

const nothingKnown: AuthoredCommit = { parents: [], committedAt: 0, email: undefined };

/**
 * Reads the parents and the author of a commit object. If the object has a form that git itself would not write, the
 * author is undefined. Neither `.mailmap` nor trailers count: they are content of the repository. Pure.
 */
export function readAuthoredCommit(body: Buffer): AuthoredCommit {
  const lines = linesOf(body);
  const tree = lines.next().value;
  if (tree === undefined || !/^tree [0-9a-f]{40,64}$/.test(tree.toString("latin1"))) return nothingKnown;
  const parents: string[] = [];
  for (let line = lines.next().value; line !== undefined; line = lines.next().value) {
    const [, parent] = /^parent ([0-9a-f]{64}|[0-9a-f]{40})$/.exec(line.toString("latin1")) ?? [];
    if (parent === undefined) {
      const committedAt = secondsOf(lines.next().value);
      return { parents, committedAt, email: emailIn(line) };
    }
    if (parents.push(parent) > PARENTS) return nothingKnown;
  }
  return nothingKnown;
}

/** Whether a text may be an address: it has no blanks, and no characters that are displayed differently. Pure. */
export function isEmail(text: string): boolean {
  return text !== "" && text.length <= EMAIL_CHARACTERS && plain.test(text) && !/[\s<>]/.test(text);
}

/** Lines of a header, up to the first one that is too long or incomplete. */
function* linesOf(body: Buffer): Generator<Buffer, undefined> {
  for (let at = 0; at < body.length; ) {
    const end = body.subarray(at, at + LINE_BYTES).indexOf(0x0a);
    if (end <= 0) return;
    yield body.subarray(at, at + end);
    at += end + 1;
  }
}

/** The address in `author Name <address> 1700000000 +0100`. A name may be in any encoding. */
function emailIn(line: Buffer): string | undefined {
  // One byte is one character.
  const text = line.toString("latin1");
  const [, latin1] = /^author [^<>]*<([^<>]*)> \d{1,15} [+-]\d{4}$/.exec(text) ?? [];
  if (latin1 === undefined) return undefined;
  const bytes = Buffer.from(latin1, "latin1");
  const email = bytes.toString("utf8");
  return isUtf8(bytes) && isEmail(email) ? email : undefined;
}

function secondsOf(line: Buffer | undefined): number {
  const [, seconds = "0"] =
    /^committer [^<>]*<[^<>]*> (\d{1,15}) /.exec(line?.toString("latin1") ?? "") ?? [];
  return Number(seconds);
}
