import type { Writable } from "node:stream";

/** So much is written at a time. */
const PIECE_LENGTH = 64 * 1024;

/** Short pieces of text, or bytes. */
export type ProcessInput = Iterable<string> | Uint8Array;

/** Writes input to a process as it takes it. Ends early when the process does: its exit code and words say why. */
export async function feed(stdin: Writable, input: ProcessInput): Promise<void> {
  for (const piece of input instanceof Uint8Array ? [input] : joinPieces(input)) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece)) await drained(stdin);
  }
}

async function drained(stdin: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const event of ["drain", "close"]) stdin.on(event, resolve);
  await promise;
  for (const event of ["drain", "close"]) stdin.off(event, resolve);
}

/** Thousands of short pieces would be as many writes. */
function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = "";
  }
  yield text;
}
