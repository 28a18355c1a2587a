import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/**
 * Finds a pack that is missing or truncated, for example by a power failure or by hand. Reads a few bytes of each; git
 * itself detects damage in the middle.
 *
 * @param names Packs that exist or existed, without their file extensions.
 * @param hashBytes 20 for SHA-1, 32 for SHA-256.
 */
export async function findBrokenPack(
  folder: string,
  names: Iterable<string>,
  hashBytes: number,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    // A pack ends with its checksum, and its index contains that checksum before its own.
    const [pack, index] = await Promise.all([
      readFromEnd(`${path}.pack`, hashBytes, hashBytes),
      readFromEnd(`${path}.idx`, 2 * hashBytes, hashBytes),
    ]);
    if (pack === undefined || pack !== index) return name;
  }
  return undefined;
}

/** Undefined: there is no such file, or it is too short. */
async function readFromEnd(path: string, fromEnd: number, bytes: number): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { size } = await file.stat();
    if (size < fromEnd) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, size - fromEnd);
    return bytesRead === bytes ? buffer.toString("hex") : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
