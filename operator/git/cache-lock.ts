import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A folder that one process has to itself. */
export interface CacheSlot {
  readonly directory: string;
  release(): Promise<void>;
}

/** The most operators on one machine for one branch. */
const SLOTS = 16;
/** A process whose operator is gone ends within 2.5 s; it is waited for twice as long. */
const ORPHAN_LOOKS = 50;
const ORPHAN_LOOK_MS = 100;

/**
 * Takes the first folder of `<base>`, `<base>-1`, … that no living process holds: two operators on one machine (a
 * leader and its standby) get a cache each instead of waiting for one another. Only a holder whose operator is gone is
 * waited for: it is about to end, and an operator that starts again finds its clone.
 *
 * @throws Error if the folder is a link, belongs to another user, or is writable for others: git would run on their files.
 */
export async function takeCacheSlot(base: string): Promise<CacheSlot> {
  for (let slot = 0; slot < SLOTS; slot++) {
    const directory = slot === 0 ? base : `${base}-${slot}`;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await assertPrivate(directory);
    const lock = join(directory, "lock");
    if (await take(lock))
      return { directory: await realpath(directory), release: () => rm(lock, { force: true }) };
  }
  throw new Error(`Cannot use the git cache "${base}": ${SLOTS} processes already use it`);
}

async function assertPrivate(directory: string): Promise<void> {
  const stat = await lstat(directory);
  const ours = process.getuid === undefined || stat.uid === process.getuid();
  if (stat.isDirectory() && ours && (stat.mode & 0o022) === 0) return;
  throw new Error(
    `Cannot use the git cache "${directory}": other users may write to it; set a folder that only this user can write`,
  );
}

async function take(lock: string): Promise<boolean> {
  // Both the lock and the right to remove it may be left over from a dead process.
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await create(lock)) return true;
    if (!(await isAboutToBeFree(lock))) return false;
    await removeStale(lock);
  }
  return false;
}

/** Whether the holder has ended; waits for one whose operator has. */
async function isAboutToBeFree(lock: string): Promise<boolean> {
  for (let look = 0; look < ORPHAN_LOOKS; look++) {
    const holder = await readHolder(lock);
    if (!isAlive(holder)) return true;
    if (!isOrphaned(holder)) return false;
    await setTimeout(ORPHAN_LOOK_MS);
  }
  return false;
}

/** Makes the lock with its content in one step: an empty lock would look like one without a holder. */
async function create(lock: string): Promise<boolean> {
  const draft = `${lock}-${randomUUID()}`;
  try {
    await writeFile(draft, processId(), { mode: 0o600, flag: "wx" });
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Takes a lock away whose holder is gone. One at a time, and looking again: two who both saw the dead holder could
 * else take away the lock that the faster one has made since.
 */
async function removeStale(lock: string): Promise<void> {
  const removing = `${lock}-removing`;
  if (await create(removing)) {
    try {
      if (!isAlive(await readHolder(lock))) await rm(lock, { force: true });
    } finally {
      await rm(removing, { force: true });
    }
    return;
  }
  // Another process is removing it, or died while doing so.
  if (!isAlive(await readHolder(removing))) await rm(removing, { force: true });
}

/**
 * A pid alone does not do: in a container every operator has the same one, so our predecessor's lock would look like ours. The
 * third word is the process that ours serves.
 */
function processId(): string {
  return `${process.pid} ${Math.round(performance.timeOrigin)} ${process.ppid}`;
}

function readHolder(lock: string): Promise<string> {
  return readFile(lock, "utf8").catch(() => "");
}

function isAlive(holder: string): boolean {
  const [pid, started] = holder.split(" ");
  if (Number(pid) === process.pid) return Number(started) === Math.round(performance.timeOrigin);
  return isRunning(pid);
}

/** The first process of a container has no parent that can be seen: such a holder counts as one that stays. */
function isOrphaned(holder: string): boolean {
  const parent = holder.split(" ")[2];
  return Number(parent) > 1 && !isRunning(parent);
}

function isRunning(word: string | undefined): boolean {
  const pid = Number(word);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
