import { readFileSync } from "node:fs";
import type { Clock } from "../../ports.ts";

export interface MemoryWatchOptions {
  readonly clock: Clock;
  readonly limitMiB: number;
  /** Default: any number. A limit of the kernel would count all processes of the user. */
  readonly maxThreads?: number;
  /** Maximum processor time since the watch began, in milliseconds. Default: any. */
  readonly maxCpuMs?: number;
  readonly onOver: (what: "memory" | "threads" | "processor") => void;
}

/** Interval of the polls. Memory may exceed the limit by what is allocated within it. */
const POLL_MS = 20;

/** Current memory and threads of a process. */
interface Usage {
  readonly residentBytes: number;
  readonly ownBytes: number;
  readonly threads: number;
}

/**
 * Polls the resident memory, the threads and the processor time of a process from outside: the heap limit of V8 does not
 * cover array buffers. Does nothing where there is no /proc.
 *
 * @returns A function that ends the watch.
 */
export function watchMemory(pid: number, options: MemoryWatchOptions): () => void {
  const { clock, limitMiB, maxThreads = Number.POSITIVE_INFINITY, onOver, maxCpuMs } = options;
  const begunMs = maxCpuMs === undefined ? undefined : cpuMsOf(pid);
  let cancel = (): void => {};
  const poll = (): void => {
    const usage = readUsage(pid);
    if (usage === undefined) return;
    if (usage.residentBytes > limitMiB * 2 ** 20) onOver("memory");
    else if (usage.threads > maxThreads) onOver("threads");
    else if (maxCpuMs !== undefined && (cpuMsOf(pid) ?? 0) - (begunMs ?? 0) > maxCpuMs) onOver("processor");
    else cancel = clock.schedule(POLL_MS, poll);
  };
  poll();
  return () => cancel();
}

/** Private memory of a process, in bytes: resident, without pages of files. Undefined: as {@link residentBytes}. */
export function ownBytes(pid: number): number | undefined {
  return readUsage(pid)?.ownBytes;
}

/** Resident memory of a process in bytes; undefined: there is no such process, or it cannot be determined. */
export function residentBytes(pid: number): number | undefined {
  return readUsage(pid)?.residentBytes;
}

/** Linux reports processor time in this unit to all programs (proc_pid_stat(5), USER_HZ). */
const TICK_MS = 10;

/** Processor time of a process and its ended child processes, in milliseconds. */
function cpuMsOf(pid: number): number | undefined {
  const stat = readProc(pid, "stat");
  // The name of a program may contain anything. The fields from its state on follow it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}

function readUsage(pid: number): Usage | undefined {
  const status = readProc(pid, "status");
  if (status === undefined) return undefined;
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  const [, own] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  const [, threads] = /^Threads:\s+(\d+)$/m.exec(status) ?? [];
  return kibibytes === undefined
    ? undefined
    : { residentBytes: Number(kibibytes) * 1_024, ownBytes: Number(own) * 1_024, threads: Number(threads) };
}

function readProc(pid: number, file: "stat" | "status"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}
