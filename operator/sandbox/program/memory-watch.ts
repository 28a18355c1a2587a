import { readFileSync } from "node:fs";
import type { Clock } from "../../ports.ts";

export interface MemoryWatchOptions {
  readonly clock: Clock;
  readonly limitMiB: number;
  /** Default: any number. A limit of the kernel would count all processes of the user. */
  readonly maxThreads?: number;
  readonly onOver: (what: "memory" | "threads") => void;
  /** Default: 20 ms. Memory may exceed the limit by what is allocated within this interval. */
  readonly everyMs?: number;
}

/** Current memory and threads of a process. */
interface Usage {
  readonly residentBytes: number;
  readonly ownBytes: number;
  readonly threads: number;
}

/**
 * Polls the resident memory and the threads of a process from outside: the heap limit of V8 does not cover array
 * buffers. Does nothing where there is no /proc.
 *
 * @returns A function that ends the watch.
 */
export function watchMemory(pid: number, options: MemoryWatchOptions): () => void {
  const { clock, limitMiB, maxThreads = Number.POSITIVE_INFINITY, onOver, everyMs = 20 } = options;
  let cancel = (): void => {};
  const poll = (): void => {
    const usage = readUsage(pid);
    if (usage === undefined) return;
    if (usage.residentBytes > limitMiB * 2 ** 20) onOver("memory");
    else if (usage.threads > maxThreads) onOver("threads");
    else cancel = clock.schedule(everyMs, poll);
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

function readUsage(pid: number): Usage | undefined {
  const status = readStatus(pid);
  if (status === undefined) return undefined;
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  const [, own] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  const [, threads] = /^Threads:\s+(\d+)$/m.exec(status) ?? [];
  return kibibytes === undefined
    ? undefined
    : { residentBytes: Number(kibibytes) * 1_024, ownBytes: Number(own) * 1_024, threads: Number(threads) };
}

function readStatus(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return undefined;
  }
}
