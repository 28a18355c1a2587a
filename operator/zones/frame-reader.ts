import { parseUntrusted } from "../engine/json-shape.ts";
import type { Frame } from "./frame.ts";

/** Limits of one frame. A frame that exceeds them is rejected as soon as a length shows it. */
export interface FrameLimits {
  readonly headerBytes: number;
  readonly parts: number;
  /** Header and parts together. */
  readonly bytes: number;
}

/** The bytes are not a frame. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

type Step = "header length" | "header" | "part count" | "part length" | "part";

const NUMBER_BYTES = 4;
const nothing = Buffer.alloc(0);

/**
 * Reads frames from a stream of untrusted bytes. Each byte is copied at most a few times, however the stream is split,
 * and memory is allocated for bytes that have arrived, not for announced lengths.
 */
export class FrameReader {
  readonly #limits: FrameLimits;
  #step: Step = "header length";
  /** Length of the current element. */
  #wanted = NUMBER_BYTES;
  /** The beginning of that element, from earlier chunks. */
  #kept = nothing;
  #length = 0;
  #header: Frame["header"] = {};
  #parts: Buffer[] = [];
  #partsLeft = 0;
  #bytes = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Whether the last frame is complete and no further one has begun. */
  get isBetweenFrames(): boolean {
    return this.#step === "header length" && this.#length === 0;
  }

  /**
   * Reads the next bytes of the stream.
   *
   * @returns The frames that these bytes complete.
   * @throws FrameError for invalid bytes; RangeError for a frame that is larger than `limits.bytes`. After that the
   * stream cannot be read any further.
   */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    for (let at = 0; ; ) {
      const missing = this.#wanted - this.#length;
      if (chunk.length - at < missing) {
        this.#keep(chunk.subarray(at));
        return frames;
      }
      const frame = this.#accept(this.#complete(chunk.subarray(at, at + missing)));
      at += missing;
      if (frame !== undefined) frames.push(frame);
    }
  }

  #keep(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#kept.length) {
      // Doubling keeps the work linear for a stream that arrives byte by byte.
      const larger = Buffer.allocUnsafe(Math.min(this.#wanted, Math.max(length, 2 * this.#kept.length)));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #complete(bytes: Buffer): Buffer {
    if (this.#length === 0) return bytes;
    this.#keep(bytes);
    const element = this.#kept.subarray(0, this.#length);
    this.#kept = nothing;
    this.#length = 0;
    return element;
  }

  #accept(element: Buffer): Frame | undefined {
    const { headerBytes, parts } = this.#limits;
    switch (this.#step) {
      case "header length":
        if (element.readUInt32BE() > headerBytes)
          throw new FrameError(`a header of more than ${headerBytes} bytes`);
        return this.#expect("header", this.#lengthIn(element));
      case "header":
        this.#header = parseHeader(element);
        return this.#expect("part count", NUMBER_BYTES);
      case "part count":
        this.#partsLeft = element.readUInt32BE();
        if (this.#partsLeft > parts) throw new FrameError(`a frame of more than ${parts} parts`);
        return this.#next();
      case "part length":
        return this.#expect("part", this.#lengthIn(element));
      case "part":
        this.#parts.push(element);
        this.#partsLeft -= 1;
        return this.#next();
    }
  }

  #expect(step: Step, wanted: number): undefined {
    this.#step = step;
    this.#wanted = wanted;
  }

  #next(): Frame | undefined {
    if (this.#partsLeft > 0) return this.#expect("part length", NUMBER_BYTES);
    const frame = { header: this.#header, parts: this.#parts };
    this.#header = {};
    this.#parts = [];
    this.#bytes = 0;
    this.#expect("header length", NUMBER_BYTES);
    return frame;
  }

  #lengthIn(element: Buffer): number {
    const { bytes } = this.#limits;
    const length = element.readUInt32BE();
    this.#bytes += length;
    if (this.#bytes > bytes) throw new RangeError(`a frame of more than ${bytes} bytes`);
    return length;
  }
}

function parseHeader(bytes: Buffer): Frame["header"] {
  let value: unknown;
  try {
    value = parseUntrusted(bytes);
  } catch {
    throw new FrameError("a header that is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new FrameError("a header that is not a JSON object");
  return value as Frame["header"];
}
