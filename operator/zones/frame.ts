// The encoding of all messages between two processes of the operator. The process of a program uses it too, so this file
// imports nothing from the operator.
import { Buffer } from "node:buffer";

/** One frame: a header, which is a JSON object, and binary parts. */
export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly parts: readonly Buffer[];
}

/** Maximum size of a frame that is copied into one buffer before it is written. */
const COPY_BYTES = 16_384;

/**
 * Encodes a frame as one buffer: length and text of its header, number of parts, and length and bytes of each. Lengths are
 * unsigned 32-bit integers in network byte order.
 */
export function encodeFrame(header: object, parts: readonly Uint8Array[] = []): Buffer {
  return Buffer.concat(piecesOf(header, parts));
}

/** The same as several buffers to be written in order; large parts are not copied. */
export function encodePieces(header: object, parts: readonly Uint8Array[] = []): readonly Uint8Array[] {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const pieces = piecesOf(header, parts);
  return bytes <= COPY_BYTES ? [Buffer.concat(pieces)] : pieces;
}

function piecesOf(header: object, parts: readonly Uint8Array[]): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(header));
  const pieces: Uint8Array[] = [numberOf(text.length), text, numberOf(parts.length)];
  for (const part of parts) pieces.push(numberOf(part.length), part);
  return pieces;
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
