import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";
import type { SourceFiles } from "../git/source/ports.ts";

const ENTRY_LIMIT = 20_000;
const READ_LIMIT = 64 * 1_048_576;

/** Folders that are not part of a commit: git's own, and packages for an editor. */
const skipped: ReadonlySet<string> = new Set([".git", "node_modules"]);

type Listing = Awaited<ReturnType<SourceFiles["list"]>>;

/**
 * A folder of this machine instead of a folder of a commit, for the command line: all its files but those in `.git` and
 * `node_modules`, regardless of `.gitignore`. Blobs have the ids that git would give them. The folder is listed once.
 *
 * @throws {SourceError} as in {@link SourceFiles}; `SourceNotFound` if there is no such folder.
 */
export function localFiles(directory: string): SourceFiles {
  let listing: Promise<Listing> | undefined;
  const list = (): Promise<Listing> => {
    listing ??= listFolder(directory);
    return listing;
  };
  return {
    list,
    async read(blobs) {
      const { files } = await list();
      const byBlob = new Map(files.map((file) => [file.blob, file]));
      const contents = new Map<string, Buffer>();
      let total = 0;
      for (const blob of new Set(blobs)) {
        const file = byBlob.get(blob);
        if (file === undefined)
          throw new SourceError("SourceNotFound", `there is no file with the id ${blob}`);
        total += file.size;
        if (total > READ_LIMIT)
          throw new SourceError("RenderLimit", "the files have more than 64 MiB in all");
        contents.set(blob, await readFile(join(directory, file.path)));
      }
      return contents;
    },
  };
}

async function listFolder(directory: string): Promise<Listing> {
  const files: { path: string; blob: string; size: number }[] = [];
  const refused: { path: string; what: "symlink" | "submodule" }[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(directory, folder), directory)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (skipped.has(entry.name)) continue;
      if (entry.isSymbolicLink()) refused.push({ path, what: "symlink" });
      else if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push({ path, ...(await identify(join(directory, path))) });
      if (files.length + refused.length + folders.length > ENTRY_LIMIT) {
        throw new SourceError("RenderLimit", `the folder has more than ${ENTRY_LIMIT} files`);
      }
    }
  }
  const inByteOrder = (a: { readonly path: string }, b: { readonly path: string }): number =>
    Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
  return { files: files.sort(inByteOrder), refused: refused.sort(inByteOrder) };
}

async function entriesOf(folder: string, directory: string): ReturnType<typeof readFolder> {
  try {
    return await readFolder(folder);
  } catch (error) {
    if (folder !== join(directory, "")) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError("SourceNotFound", `Cannot read the folder "${showText(directory)}": ${reason}`, {
      cause: error,
    });
  }
}

function readFolder(folder: string) {
  return readdir(folder, { withFileTypes: true });
}

/** Size and id of a file as a blob in git; read in pieces, because it may be large. */
async function identify(path: string): Promise<{ readonly blob: string; readonly size: number }> {
  const { size } = await stat(path);
  const hash = createHash("sha1").update(`blob ${size}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return { blob: hash.digest("hex"), size };
}
