import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Names of the packs of a clone, without their endings. */
export async function listPacks(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".pack")).map((name) => name.slice(0, -".pack".length));
}

/**
 * Finds a pack that is gone or cut off, as a power cut or a hand leaves it. Reads a few bytes of each: what is damaged in
 * the middle git notices by itself.
 *
 * @param known Packs that were there. @param hashBytes 20 for SHA-1, 32 for SHA-256.
 */
export async function findBrokenPack(
  folder: string,
  known: Iterable<string>,
  hashBytes: number,
): Promise<string | undefined> {
  for (const name of new Set([...known, ...(await listPacks(folder))])) {
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
