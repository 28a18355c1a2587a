import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ZoneCommand } from "../zones/zone-process.ts";
import type { SandboxService } from "./messages.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const workerFile = "sandbox-worker.mjs";

/** V8's heap of a process, in MiB. A render that needs more ends its process, and fails. */
const HEAP_MIB = 384;

/** Path of the socket that a process of the zone listens on. */
export function socketOf(folder: string, service: SandboxService): string {
  return join(folder, `${service}.sock`);
}

/**
 * The command line of a process of the sandbox zone, the only place that makes one: whatever confines the process is put
 * in front here.
 */
export function workerCommand(service: SandboxService, { folder }: { readonly folder: string }): ZoneCommand {
  return {
    file: process.execPath,
    arguments: [
      `--max-old-space-size=${HEAP_MIB}`,
      "--max-semi-space-size=8",
      "--disable-sigusr1",
      "--no-warnings",
      workerPath(),
      `--zone=sandbox/${service}`,
      `--socket=${socketOf(folder, service)}`,
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
