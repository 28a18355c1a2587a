import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Identifies a process, even if a later one gets the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot id and start time: equal for the same process only. */
  readonly startedAt: string;
}

/** Identifies the process with an id. A zombie counts as ended: none of its code runs any more. */
export function readProcessIdentity(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === "linux" ? readLinuxStart(pid) : readStartFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return readProcessIdentity(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends a signal to exactly this process, never to another one with the same id. Returns false if it has ended. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

/** Fields of /proc/PID/stat as in proc(5); the second one, the name, may contain spaces and parentheses. */
function readLinuxStart(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, threads, startTicks] = [fields[0], fields[17], fields[19]];
  if (state === undefined || startTicks === undefined || state === "X") return undefined;
  // Killed, the first thread may be a zombie while others still hold the process's ports.
  if (state === "Z" && Number(threads) <= 1) return undefined;
  // Ticks count from the boot, so without the boot id they could repeat.
  const bootId = readIfThere("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  return `${bootId}/${startTicks}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

function readStartFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line === "" || line.startsWith("Z") ? undefined : line.slice(line.indexOf(" ")).trim();
  } catch {
    return undefined; // ps ends with 1 when there is no such process.
  }
}
