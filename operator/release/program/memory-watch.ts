import { readFileSync } from "node:fs";
import type { Clock } from "../../ports.ts";

export interface MemoryWatchOptions {
  readonly clock: Clock;
  readonly limitMiB: number;
  readonly onOver: () => void;
  /** Default: 20 ms. What is filled meanwhile is over the limit. */
  readonly everyMs?: number;
}

/**
 * Looks at the resident memory of a process again and again, from outside: the heap limit of V8 says nothing of array
 * buffers. Does nothing where there is no /proc.
 *
 * @returns Ends the watch.
 */
export function watchMemory(pid: number, options: MemoryWatchOptions): () => void {
  const { clock, limitMiB, onOver, everyMs = 20 } = options;
  let cancel = (): void => {};
  const look = (): void => {
    const bytes = residentBytes(pid);
    if (bytes === undefined) return;
    if (bytes > limitMiB * 2 ** 20) onOver();
    else cancel = clock.schedule(everyMs, look);
  };
  look();
  return () => cancel();
}

/** Resident memory of a process in bytes; undefined: there is no such process, or no way to ask. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
  } catch {
    return undefined;
  }
}
