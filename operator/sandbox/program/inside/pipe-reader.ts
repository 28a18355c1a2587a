import { Buffer } from "node:buffer";
import { read } from "node:fs";
import type { ToSandbox } from "./messages.ts";

export interface ReceivedMessage {
  readonly header: ToSandbox;
  readonly parts: readonly Buffer[];
}

const CHUNK_BYTES = 256 * 1_024;

/** Reads messages from a pipe. It is not a Node stream: streams take time to load, and read more than requested. */
export class PipeReader {
  readonly #pipe: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(pipe: number) {
    this.#pipe = pipe;
  }

  /** Waits for the next message. Undefined: the other side has closed the pipe. */
  async next(): Promise<ReceivedMessage | undefined> {
    const length = await this.#number();
    if (length === undefined) return undefined;
    const header = await this.#exactly(length);
    const count = await this.#number();
    if (header === undefined || count === undefined) return undefined;
    const parts: Buffer[] = [];
    while (parts.length < count) {
      const partLength = await this.#number();
      const part = partLength === undefined ? undefined : await this.#exactly(partLength);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return { header: JSON.parse(header.toString()) as ToSandbox, parts };
  }

  async #number(): Promise<number | undefined> {
    return (await this.#exactly(4))?.readUInt32BE();
  }

  async #exactly(length: number): Promise<Buffer | undefined> {
    if (this.#bytes.length < length) {
      const chunks = [this.#bytes];
      for (let have = this.#bytes.length; have < length; ) {
        const chunk = await this.#chunk(Math.max(CHUNK_BYTES, length - have));
        if (chunk.length === 0) return undefined;
        chunks.push(chunk);
        have += chunk.length;
      }
      this.#bytes = Buffer.concat(chunks);
    }
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  #chunk(length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    return new Promise((resolve, reject) => {
      read(this.#pipe, buffer, 0, length, null, (error, count) => {
        if (error === null) resolve(buffer.subarray(0, count));
        else reject(error);
      });
    });
  }
}
