import { COMMIT_PART_BYTES } from "./messages.ts";

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
