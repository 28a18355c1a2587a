import { createHash } from "node:crypto";
import { SourceError } from "../../operator/errors.ts";
import type { SourceFiles } from "../../operator/git/source/ports.ts";

export interface MemoryFilesOptions {
  readonly refused?: readonly { readonly path: string; readonly what: "symlink" | "submodule" }[];
}

/** A folder of a commit, in memory; counts requests. */
export class MemoryFiles implements SourceFiles {
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #refused: NonNullable<MemoryFilesOptions["refused"]>;
  readonly calls = { list: 0, read: 0 };

  constructor(files: Readonly<Record<string, string | Buffer>>, { refused = [] }: MemoryFilesOptions = {}) {
    this.#files = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
    this.#refused = refused;
  }

  /** Used as git's id of the folder. */
  get tree(): string {
    const hash = createHash("sha1");
    for (const [path, content] of this.#files) hash.update(`${path}\0${blobOf(content)}\0`);
    return hash.digest("hex");
  }

  async list(): ReturnType<SourceFiles["list"]> {
    this.calls.list++;
    const files = [...this.#files].map(([path, content]) => ({
      path,
      blob: blobOf(content),
      size: content.length,
    }));
    return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), refused: this.#refused };
  }

  async read(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    this.calls.read++;
    const contents = new Map([...this.#files.values()].map((content) => [blobOf(content), content]));
    return new Map(
      blobs.map((blob) => {
        const content = contents.get(blob);
        if (content === undefined) throw new SourceError("SourceNotFound", `There is no blob ${blob}`);
        return [blob, content];
      }),
    );
  }
}

function blobOf(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
