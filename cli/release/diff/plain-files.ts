import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { SourceFiles } from "../../../operator/git/source/ports.ts";
import { localFiles } from "../../../operator/render/local-files.ts";

/** One text as a folder with one file. */
export function filesOfText(path: string, text: string): SourceFiles {
  const name = /\.(ya?ml|json)$/.test(path) ? basename(path) : "stdin.yaml";
  const contents = Buffer.from(text);
  const files = [{ path: name, blob: name, size: contents.length }];
  return {
    list: async () => ({ files, refused: [] }),
    read: async () => new Map([[name, contents]]),
  };
}

/** The files of a folder of this machine. Undefined: the path is not a folder. @throws Error if it does not exist. */
export async function filesOfFolder(path: string): Promise<SourceFiles | undefined> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new Error(`Cannot read "${path}": ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  });
  return stats.isDirectory() ? localFiles(path) : undefined;
}
