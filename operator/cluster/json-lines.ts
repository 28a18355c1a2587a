const newline = 10;

/**
 * Splits a stream of bytes into lines. It searches bytes, not text, so that a character that is split between two chunks
 * stays intact. The chunks of an incomplete line are joined once, at its end, so that the time is linear in its length.
 */
export class LineSplitter {
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();

  /** @param options.maxBytes Maximum length of a line; the API server's own limit for an object is about 3 MiB. */
  constructor({ maxBytes = 64 * 1024 * 1024 } = {}) {
    this.#maxBytes = maxBytes;
  }

  /** Lines that the chunk completes, without empty ones. */
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
