import type { FromSandbox } from "./inside/messages.ts";

/** One message of a sandbox. */
export interface SandboxMessage {
  readonly header: FromSandbox;
  readonly parts: readonly Buffer[];
}

/** A sandbox said what no sandbox says: its program got at the pipe. */
export class SandboxGarbageError extends Error {
  override readonly name = "SandboxGarbageError";
}

const HEADER_BYTES = 4_096;
const PARTS = 16;

/**
 * Takes messages out of the bytes that a sandbox writes, which may be anything: nothing is kept beyond `limitBytes`.
 */
export class MessageReader {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * @returns The message that this chunk completes, if it does.
   * @throws SandboxGarbageError; RangeError when it is too long.
   */
  push(chunk: Buffer): SandboxMessage | undefined {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limitBytes) throw new RangeError("the message is too long");
    this.#chunks.push(chunk);
    const length = this.#lengthOf();
    if (length === undefined || this.#bytes < length) return undefined;
    if (this.#bytes > length) throw new SandboxGarbageError("more than one message");
    const message = parse(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#bytes = 0;
    return message;
  }

  /** Length of the whole message; undefined: not known yet. */
  #lengthOf(): number | undefined {
    let at = 0;
    const number = (): number | undefined => {
      const value = this.#peek(at);
      at += 4;
      return value;
    };
    const header = number();
    if (header === undefined) return undefined;
    if (header > HEADER_BYTES) throw new SandboxGarbageError("a long header");
    at += header;
    const parts = number();
    if (parts === undefined) return undefined;
    if (parts > PARTS) throw new SandboxGarbageError("many parts");
    for (let part = 0; part < parts; part++) {
      const length = number();
      if (length === undefined) return undefined;
      at += length;
      if (at > this.#limitBytes) throw new RangeError("the message is too long");
    }
    return at;
  }

  /** The number at a place, if it is there yet. */
  #peek(at: number): number | undefined {
    if (at + 4 > this.#bytes) return undefined;
    const bytes: number[] = [];
    let start = 0;
    for (const chunk of this.#chunks) {
      for (let index = Math.max(at - start, 0); index < chunk.length && bytes.length < 4; index++) {
        bytes.push(chunk[index] ?? 0);
        if (start + index + 1 === at + 4) return Buffer.from(bytes).readUInt32BE();
      }
      start += chunk.length;
    }
    return undefined;
  }
}

function parse(message: Buffer): SandboxMessage {
  const headerLength = message.readUInt32BE(0);
  const parts: Buffer[] = [];
  let at = 4 + headerLength;
  const count = message.readUInt32BE(at);
  at += 4;
  while (parts.length < count) {
    const length = message.readUInt32BE(at);
    parts.push(message.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  try {
    return { header: JSON.parse(message.toString("utf8", 4, 4 + headerLength)) as FromSandbox, parts };
  } catch {
    throw new SandboxGarbageError("a header that is no JSON");
  }
}
