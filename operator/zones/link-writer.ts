import type { Duplex } from "node:stream";
import { encodePieces } from "./frame.ts";
import type { Header } from "./messages.ts";

/** Writes frames to a stream. Frames of one turn of the event loop are written together. */
export class LinkWriter {
  readonly #stream: Duplex;
  #isCorked = false;
  #isClosed = false;
  /** Resolves when the stream has accepted the data. */
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("drain", () => this.#drain());
  }

  /**
   * Writes a frame.
   *
   * @returns Resolves when more may be written: a sender of much data awaits it. Resolves at once after the end of the
   * stream.
   */
  write(header: Header, parts: readonly Uint8Array[] = []): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#cork();
    for (const piece of encodePieces(header, parts)) this.#stream.write(piece);
    if (!this.#stream.writableNeedDrain) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  close(): void {
    this.#isClosed = true;
    this.#drain();
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#stream.uncork();
    });
  }

  #drain(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
