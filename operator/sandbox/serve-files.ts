import type { SourceFiles } from "../git/source/ports.ts";
import type { FairSemaphore } from "../runtime/fair-semaphore.ts";
import type { IncomingRequest } from "../zones/incoming-requests.ts";
import type { Message } from "../zones/messages.ts";
import { type FileListItem, listBody, readBody, readLimits } from "./messages.ts";

const MEBIBYTE = 2 ** 20;
/** Maximum entries, and characters of their paths, of one item of a list. JSON writes some characters as six. */
const ENTRIES = 1_000;
const PATH_CHARACTERS = 128 * 1_024;
/** Maximum bytes that one render may read: a folder of the maximum size, and its ignore files, once each. */
const READ_BYTES = 128 * MEBIBYTE;

type Listed = Awaited<ReturnType<SourceFiles["list"]>>;

/**
 * Serves the files of one running render to the sandbox zone, and no others. Their contents are passed on without being
 * parsed; few are in memory at a time.
 */
export class FileServer {
  readonly #namespace: string;
  readonly #files: SourceFiles;
  readonly #mebibytes: FairSemaphore;
  #listed: Promise<Listed> | undefined;
  #readBytes = 0;
  /** Why files could not be read: the render fails with this error, whatever the zone reports. */
  error: unknown;

  /** @param mebibytes Permits of one MiB each, shared by all renders. */
  constructor(namespace: string, files: SourceFiles, mebibytes: FairSemaphore) {
    this.#namespace = namespace;
    this.#files = files;
    this.#mebibytes = mebibytes;
  }

  async serve(request: IncomingRequest): Promise<Message> {
    try {
      if (request.name === "list") await this.#list(request);
      else if (request.name === "read") await this.#read(request);
      else throw new RangeError(`There is no request "${request.name}"`);
      return { body: {} };
    } catch (error) {
      this.error ??= error;
      throw error;
    }
  }

  async #list({ body, send }: IncomingRequest): Promise<void> {
    listBody.parse(body);
    const { files, refused } = await this.#listing();
    const permit = await this.#mebibytes.acquire(this.#namespace);
    try {
      const sendItem = (item: FileListItem): Promise<void> =>
        send({ body: {}, parts: [Buffer.from(JSON.stringify(item))] });
      for (const portion of portionsOf(files))
        await sendItem({ files: portion.map(({ path, size }) => [path, size]), refused: [] });
      for (const portion of portionsOf(refused))
        await sendItem({ files: [], refused: portion.map(({ path, what }) => [path, what]) });
    } finally {
      permit.release();
    }
  }

  async #read({ body, send }: IncomingRequest): Promise<void> {
    const { files } = await this.#listing();
    const wanted = readBody.parse(body).files.map((index) => {
      const file = files[index];
      if (file === undefined) throw new RangeError(`There is no file ${index}`);
      return file;
    });
    const bytes = wanted.reduce((sum, { size }) => sum + size, 0);
    this.#readBytes += bytes;
    if (bytes > readLimits.bytes || this.#readBytes > READ_BYTES)
      throw new RangeError("The sandbox zone reads more than one render may");
    const permit = await this.#mebibytes.acquire(this.#namespace, {
      weight: Math.ceil(bytes / MEBIBYTE) || 1,
    });
    try {
      const contents = await this.#files.read(wanted.map(({ blob }) => blob));
      const parts = wanted.map(({ blob }) => contents.get(blob) ?? Buffer.alloc(0));
      await send({ body: {}, parts });
    } finally {
      permit.release();
    }
  }

  #listing(): Promise<Listed> {
    this.#listed ??= this.#files.list();
    return this.#listed;
  }
}

/** Splits a list so that the frame of each item stays far below the zone's limit. */
function* portionsOf<Entry extends { readonly path: string }>(
  entries: readonly Entry[],
): Generator<readonly Entry[]> {
  let [start, characters] = [0, 0];
  for (const [at, { path }] of entries.entries()) {
    if (at > start && (at - start >= ENTRIES || characters + path.length > PATH_CHARACTERS)) {
      yield entries.slice(start, at);
      [start, characters] = [at, 0];
    }
    characters += path.length;
  }
  if (start < entries.length) yield entries.slice(start);
}
