import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/**
 * Finds a pack that is gone or cut off, as a power cut or a hand leaves it. Reads a few bytes of each: what is damaged in
 * the middle git notices by itself.
 *
 * @param names Packs that are or were there, without their endings. @param hashBytes 20 for SHA-1, 32 for SHA-256.
 */
export async function findBrokenPack(
  folder: string,
  names: Iterable<string>,
  hashBytes: number,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    // A pack ends in its checksum, and its index names that before its own.
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
