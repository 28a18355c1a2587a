import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** The input that a process was given last. */
export interface LastInput {
  readonly reader: string;
  /** The input, or its beginning. */
  readonly start: Buffer;
  readonly bytes: number;
  /** Number of inputs up to this one. */
  readonly count: number;
}

const MOST_SHOWN = 2_048;
const HEADER = 256;

/** Writes each input to a file before a reader gets it, so that it is known if the reader never ends or the process crashes. */
export class InputRecorder {
  readonly #file: number;
  readonly #record = Buffer.alloc(HEADER + MOST_SHOWN);
  #count = 0;

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  /** One write, because there are millions of inputs. */
  record(reader: string, bytes: Buffer): void {
    this.#count += 1;
    const shown = Math.min(bytes.length, MOST_SHOWN);
    this.#record.fill(0, 0, HEADER);
    this.#record.write(JSON.stringify({ reader, bytes: bytes.length, shown, count: this.#count }));
    bytes.copy(this.#record, HEADER, 0, shown);
    writeSync(this.#file, this.#record, 0, HEADER + shown, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads the file of an {@link InputRecorder}. Undefined: there was no input yet. */
export function readLastInput(path: string): LastInput | undefined {
  const record = readFileSync(path);
  if (record.length === 0) return undefined;
  const header = record.toString("utf8", 0, record.indexOf(0));
  const { reader, bytes, shown, count } = JSON.parse(header) as Omit<LastInput, "start"> & { shown: number };
  return { reader, bytes, count, start: record.subarray(HEADER, HEADER + shown) };
}
