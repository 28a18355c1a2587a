import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, type ProcessIdentity, readProcessIdentity } from "./process-identity.ts";

export interface WithLockOptions {
  /** Called once if another process holds the lock. */
  readonly onWait?: (holder: ProcessIdentity) => void;
  readonly intervalMs?: number;
}

/**
 * Runs `work` while no other process on this machine holds the same lock file. The lock of an ended process is taken
 * over; waits while the holder runs.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { onWait, intervalMs = 200 }: WithLockOptions = {},
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let announced = false;
  for (;;) {
    if (await tryToTake(path)) break;
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    if (!isRunning(holder)) {
      await removeStale(path, holder);
      continue;
    }
    if (!announced) onWait?.(holder);
    announced = true;
    await sleep(intervalMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** The lock file beside a folder. Pure. */
export function lockPathOf(directory: string): string {
  return `${directory}.lock`;
}

/** Removes the lock of an ended process, and no other. */
export async function removeStaleLock(path: string): Promise<void> {
  const holder = await readHolder(path);
  if (holder !== undefined && !isRunning(holder)) await removeStale(path, holder);
}

/** A hard link appears together with its content, so that no process reads an incomplete lock. */
async function tryToTake(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`;
  await writeFile(draft, JSON.stringify(readProcessIdentity(process.pid)));
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Moves the lock before removing it: two processes that found it stale must not remove a new lock of a third one. */
async function removeStale(path: string, stale: ProcessIdentity): Promise<void> {
  const moved = `${path}.stale.${crypto.randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const holder = await readHolder(moved);
  // It is not the stale lock: restore it. If a third process took the lock in between, both hold it, which only costs
  // time.
  const isOther = holder !== undefined && (holder.pid !== stale.pid || holder.startedAt !== stale.startedAt);
  if (isOther) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
}
