const newline = 10;

/**
 * Cuts a stream of bytes into lines. Bytes are searched, not text, so that a character that is split
 * between two chunks stays whole; what is left of a line waits as chunks and is joined once, when its end
 * arrives, so that a long line costs no more than its length.
 */
export class LineSplitter {
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();

  /** @param options.maxBytes Longest line; the API server's own limit for an object is about 3 MiB. */
  constructor({ maxBytes = 64 * 1024 * 1024 } = {}) {
    this.#maxBytes = maxBytes;
  }

  /** Lines that the chunk completes; empty ones are left out. */
  *push(chunk: Uint8Array): Generator<string, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start === chunk.length) return;
    this.#rest.push(chunk.subarray(start));
    this.#restBytes += chunk.length - start;
    if (this.#restBytes > this.#maxBytes)
      throw new RangeError(`Cannot read a watch event: longer than ${this.#maxBytes} bytes`);
  }

  /** Whether the stream stopped in the middle of a line. */
  get isInsideLine(): boolean {
    return this.#restBytes > 0;
  }

  #complete(end: Uint8Array): string {
    if (this.#restBytes === 0) return this.#decoder.decode(end);
    const line = this.#decoder.decode(Buffer.concat([...this.#rest, end]));
    this.#rest = [];
    this.#restBytes = 0;
    return line;
  }
}
