import { SourceError } from "../../errors.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received } from "../../zones/outgoing-requests.ts";
import { type FileList, FileListReader } from "./file-list.ts";
import { readItem, readLimits } from "./messages.ts";
import type { SourceFiles } from "./ports.ts";

/** Takes the items of one answer. */
export interface AnswerReader<Answer> {
  /** Throwing disconnects the zone. */
  readonly take: (item: Received) => void;
  /** Returns the result of all items. Throwing disconnects the zone. */
  readonly end: () => Answer;
  /** The answer is no longer needed. */
  readonly release?: () => void;
}

/**
 * Sends a request to the zone, and repeats it if the connection is lost, each time with another reader.
 *
 * @throws SourceError that the zone reports, and `SourceUnreachable` if it does not respond.
 */
export type AskZone = <Answer>(
  name: string,
  message: Message,
  createReader: () => AnswerReader<Answer>,
) => Promise<Answer>;

export interface ZoneFilesOptions {
  readonly repositoryId: string;
  readonly tree: string;
  readonly ask: AskZone;
  readonly budget: ReadBudget;
}

/**
 * Limits the bytes of files that the zone may have sent for incomplete reads, in case a zone sends more than was
 * requested.
 */
export class ReadBudget {
  #bytes = 0;

  /** @throws RangeError beyond the limit. */
  take(bytes: number): void {
    if (this.#bytes + bytes > 2 * readLimits.bytes)
      throw new RangeError("more files at a time than are read");
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The files of a tree in a clone of the source zone. Their contents are passed on without being parsed. */
export function zoneFiles({ repositoryId, tree, ask, budget }: ZoneFilesOptions): SourceFiles {
  const at = { repository: repositoryId, tree };
  return {
    list: () => ask("list", { body: at }, listReader),
    read: async (blobs) => {
      const contents = new Map<string, Buffer>();
      const unique = [...new Set(blobs)];
      let bytes = 0;
      for (let from = 0; from < unique.length; from += readLimits.files) {
        const wanted = unique.slice(from, from + readLimits.files);
        const message = { body: at, parts: [Buffer.from(wanted.join("\n"))] };
        const found = await ask("read", message, () => new BytesReader(wanted.length, budget));
        for (const [index, content] of found.entries()) {
          contents.set(wanted[index] ?? "", content);
          bytes += content.length;
        }
        if (bytes > readLimits.bytes) throw tooLarge();
      }
      return contents;
    },
  };
}

function listReader(): AnswerReader<FileList> {
  const reader = new FileListReader();
  return {
    take: ({ parts }) => reader.take(parts[0] ?? Buffer.alloc(0)),
    end: () => reader.list,
  };
}

/** Receives the sizes of some files and then their bytes, in pieces of any size. */
class BytesReader implements AnswerReader<Buffer[]> {
  readonly #count: number;
  readonly #budget: ReadBudget;
  readonly #pieces: Buffer[] = [];
  #sizes: readonly number[] | undefined;
  #total = 0;
  #bytes = 0;

  constructor(count: number, budget: ReadBudget) {
    this.#count = count;
    this.#budget = budget;
  }

  /** @throws RangeError, or an error of the schema, for any other item than the next one. */
  take({ body, parts }: Received): void {
    if (this.#sizes === undefined) {
      const { sizes } = readItem.parse(body);
      if (sizes.length !== this.#count) throw new RangeError("other files than were asked for");
      this.#total = sizes.reduce((sum, size) => sum + size, 0);
      if (this.#total > readLimits.bytes) throw new RangeError("files that are too large");
      this.#sizes = sizes;
      return;
    }
    const [piece] = parts;
    if (piece === undefined || piece.length === 0) throw new RangeError("an empty piece of a file");
    if (this.#bytes + piece.length > this.#total) throw new RangeError("more bytes than the files have");
    this.#budget.take(piece.length);
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  release(): void {
    this.#budget.release(this.#bytes);
  }

  /** In the order of the request. Files within one piece are not copied. @throws RangeError if bytes are missing. */
  end(): Buffer[] {
    const sizes = this.#sizes;
    if (sizes === undefined || this.#bytes !== this.#total) throw new RangeError("truncated files");
    let [index, at] = [0, 0];
    return sizes.map((size) => {
      const taken: Buffer[] = [];
      for (let missing = size; missing > 0; ) {
        const piece = this.#pieces[index] ?? Buffer.alloc(0);
        const slice = piece.subarray(at, at + missing);
        taken.push(slice);
        missing -= slice.length;
        at += slice.length;
        if (at < piece.length) continue;
        [index, at] = [index + 1, 0];
      }
      const [only = Buffer.alloc(0)] = taken;
      return taken.length > 1 ? Buffer.concat(taken) : only;
    });
  }
}

function tooLarge(): SourceError {
  const most = readLimits.bytes / 2 ** 20;
  return new SourceError("RenderLimit", `Cannot read the files: at most ${most} MiB are allowed in all`);
}
