import { FrameError, FrameReader } from "../../zones/frame-reader.ts";
import type { FromSandbox } from "./inside/messages.ts";

/** One message of a sandbox. */
export interface SandboxMessage {
  readonly header: FromSandbox;
  readonly parts: readonly Buffer[];
}

/** The bytes are not a message of a sandbox: its program has written to the pipe. */
export { FrameError as SandboxGarbageError };

const HEADER_BYTES = 4_096;
const PARTS = 16;

/** Reads the answers of a sandbox, one at a time, from untrusted bytes. */
export class MessageReader {
  readonly #frames: FrameReader;

  constructor(limitBytes: number) {
    this.#frames = new FrameReader({ headerBytes: HEADER_BYTES, parts: PARTS, bytes: limitBytes });
  }

  /**
   * @returns The message that this chunk completes, if any.
   * @throws SandboxGarbageError; RangeError when it is too long.
   */
  push(chunk: Buffer): SandboxMessage | undefined {
    const [message, ...others] = this.#frames.push(chunk);
    if (message === undefined) return undefined;
    if (others.length > 0 || !this.#frames.isBetweenFrames) throw new FrameError("more than one message");
    // The program may have written it: its fields are checked where they are used.
    return { header: message.header as unknown as FromSandbox, parts: message.parts };
  }
}
