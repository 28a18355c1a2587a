import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../zones/zone-process.ts";
import type { SandboxService } from "./messages.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const workerFile = "sandbox-worker.mjs";

/** V8's heap of a process: a share of the memory, and at most HEAP_MIB. A render that needs more ends its process, and fails. */
const HEAP_SHARE: Readonly<Record<SandboxService, number>> = { reader: 0.25, programs: 0.15 };
const HEAP_MIB = 384;

/** Path of the socket that a process of the zone listens on. */
export function socketOf(folder: string, service: SandboxService): string {
  return join(folder, `${service}.sock`);
}

export interface WorkerCommandOptions {
  /** Folder of the sockets. */
  readonly folder: string;
  /** Puts the kernel's walls around programs; undefined: there is none. */
  readonly launcher: string | undefined;
  /** Memory that the processes of the zone and programs share, in bytes. Undefined: no limit. */
  readonly containerMemory: number | undefined;
}

/**
 * The command line of a process of the sandbox zone, the only place that makes one: whatever confines the process is put
 * in front here.
 */
export function workerCommand(
  service: SandboxService,
  { folder, launcher, containerMemory }: WorkerCommandOptions,
): ZoneCommand {
  const shareMiB = ((containerMemory ?? Number.POSITIVE_INFINITY) * HEAP_SHARE[service]) / 2 ** 20;
  return {
    file: process.execPath,
    arguments: [
      `--max-old-space-size=${Math.floor(Math.min(HEAP_MIB, shareMiB))}`,
      "--max-semi-space-size=8",
      "--disable-sigusr1",
      "--no-warnings",
      workerPath(),
      `--zone=sandbox/${service}`,
      `--socket=${socketOf(folder, service)}`,
      ...(containerMemory === undefined ? [] : [`--memory=${containerMemory}`]),
      ...(launcher === undefined || service !== "programs" ? [] : [`--launcher=${launcher}`]),
    ],
    // Nothing of the operator's: not even where Node caches compiled code, because the operator runs what it finds there.
    environment: { TZ: "UTC", LC_ALL: "C" },
  };
}

/** In an image the bundle, in the repository the source, in a package what was compiled. */
function workerPath(): string {
  const candidates = [workerFile, "worker.ts", "worker.js"].map((name) => join(import.meta.dirname, name));
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? workerFile;
}
