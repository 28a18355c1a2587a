import type { IncomingMessage, ServerResponse } from "node:http";
import { type Held, oldestOfLargest } from "../runtime/connection-limit.ts";

/** Maximum size of a body: pushes have about 10 KiB. */
export const MOST_BODY_BYTES = 1024 * 1024;
/** Maximum memory of all bodies that are being read at one time, so that unsigned requests cannot exhaust the memory. */
const mostBytesAtOnce = 8 * MOST_BODY_BYTES;

/** Maximum memory that is reserved for a Content-Length alone; more is reserved for received bytes. */
const mostUnseenBytes = 16 * 1024;

export type BodyResult = { readonly body: Buffer } | { readonly refused: "too-large" | "busy" | "broken" };

/**
 * Reads bodies of requests, within limits for each and for all together. Never rejects. When the memory limit is
 * reached, the oldest unfinished body is dropped, of the address that uses the most: endless bodies cannot block other
 * senders, and a normal body is complete before it is the oldest.
 */
export type BodyReader = (request: IncomingMessage, response: ServerResponse) => Promise<BodyResult>;

export interface BodyReaderOptions {
  readonly mostBytes?: number;
  readonly mostBytesAtOnce?: number;
}

/** A body that is being read. */
interface Reading extends Held {
  /** Reserved bytes. */
  weight: number;
  readonly end: (result: BodyResult) => void;
}

export function createBodyReader({
  mostBytes = MOST_BODY_BYTES,
  mostBytesAtOnce: budget = mostBytesAtOnce,
}: BodyReaderOptions = {}): BodyReader {
  /** Oldest first. */
  const readings = new Set<Reading>();
  let heldBytes = 0;
  return (request, response) => {
    const { promise, resolve } = Promise.withResolvers<BodyResult>();
    const address = request.socket.remoteAddress ?? "";
    // One buffer that grows: an array of one-byte chunks would take a hundred times their size.
    let buffer = Buffer.alloc(0);
    let length = 0;
    const end = (result: BodyResult): void => {
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      // The rest of the body is not read: the connection is closed with the answer.
      request.pause();
      heldBytes -= reading.weight;
      reading.weight = 0;
      readings.delete(reading);
      resolve(result);
    };
    const reading: Reading = { address, weight: 0, end };
    /** Reserves this many bytes. */
    const reserve = (bytes: number): boolean => {
      while (heldBytes - reading.weight + bytes > budget) {
        const slowest = oldestOfLargest([...readings].filter((other) => other !== reading));
        if (slowest === undefined) return false;
        slowest.end({ refused: "busy" });
      }
      heldBytes += bytes - reading.weight;
      reading.weight = bytes;
      const larger = Buffer.alloc(bytes);
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
      return true;
    };
    const onData = (piece: Buffer): void => {
      const needed = length + piece.length;
      const room = Math.min(mostBytes, Math.max(needed, buffer.length * 4));
      if (needed > mostBytes) end({ refused: "too-large" });
      else if (needed > buffer.length && !reserve(room)) end({ refused: "busy" });
      else {
        piece.copy(buffer, length);
        length = needed;
      }
    };
    const onEnd = (): void => end({ body: buffer.subarray(0, length) });
    const onClose = (): void => end({ refused: "broken" });
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > mostBytes) resolve({ refused: "too-large" });
    else if (!reserve(Math.min(announced, mostUnseenBytes))) resolve({ refused: "busy" });
    else {
      readings.add(reading);
      if (request.headers.expect !== undefined) response.writeContinue();
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
    }
    return promise;
  };
}
