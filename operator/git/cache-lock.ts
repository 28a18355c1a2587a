import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A folder that one process has locked. */
export interface CacheSlot {
  readonly directory: string;
  release(): Promise<void>;
}

/** Maximum number of operators on one machine for one branch. */
const SLOTS = 16;
/** A process whose operator has ended terminates within 2.5 s. The wait is twice as long. */
const ORPHAN_CHECKS = 50;
const ORPHAN_CHECK_MS = 100;

/**
 * Locks the first folder of `<base>`, `<base>-1`, … that no running process has locked. So two operators on one machine
 * (a leader and its standby) each get a cache and do not wait for one another. The only locks that are waited for are
 * those of processes whose operator has ended: such a process is about to terminate, and an operator that restarts finds
 * its clone.
 *
 * @throws Error if the folder is a link, belongs to another user, or is writable for others: git would run on their
 * files.
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
  // A killed process may have left both the lock and the file that guards its removal.
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await create(lock)) return true;
    if (!(await isAboutToBeFree(lock))) return false;
    await removeStale(lock);
  }
  return false;
}

/** Whether the holder has ended. Waits for a holder whose operator has ended. */
async function isAboutToBeFree(lock: string): Promise<boolean> {
  for (let check = 0; check < ORPHAN_CHECKS; check++) {
    const holder = await readHolder(lock);
    if (!isAlive(holder)) return true;
    if (!isOrphaned(holder)) return false;
    await setTimeout(ORPHAN_CHECK_MS);
  }
  return false;
}

/** Creates the lock with its content in one step: an empty lock would look like one without a holder. */
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
 * Removes a lock whose holder has ended. Only one process does this at a time, and it reads the lock again: otherwise
 * two processes that both saw the ended holder could remove the lock that one of them has created since.
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
  // Another process is removing it, or ended while removing it.
  if (!isAlive(await readHolder(removing))) await rm(removing, { force: true });
}

/**
 * A pid is not sufficient: in a container every operator has the same pid, so the lock of the previous operator would
 * look like ours. The third word is the pid of the operator that this process serves.
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

/** The first process of a container has no visible parent: such a holder is not an orphan. */
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
