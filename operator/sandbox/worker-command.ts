import { join } from "node:path";
import type { ZoneCommand } from "../zones/zone-process.ts";
import { codeFilesOf } from "./code-files.ts";
import { esbuildVariables, findEsbuild } from "./esbuild-command.ts";
import { toIsolationReport } from "./isolation-report.ts";
import type { KernelIsolation } from "./kernel-isolation.ts";
import type { LaunchRules } from "./launch-arguments.ts";
import type { SandboxService } from "./messages.ts";
import { workerIn, zoneCommand } from "./zone-command.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const workerFile = "sandbox-worker.mjs";

/**
 * V8's heap of a process: a share of the memory, and at most HEAP_MIB. A render that needs more crashes its process, and
 * fails.
 */
const HEAP_SHARE: Readonly<Record<SandboxService, number>> = { reader: 0.25, programs: 0.15 };
const HEAP_MIB = 384;
/** Writable mappings of a reader in addition to its heap: 512 MiB are V8's code space, the rest are buffers of files. */
const BASE_MIB = 1_024;
/** File descriptors: a process of a program takes three. */
const OPEN_FILES: Readonly<Record<SandboxService, number>> = { reader: 128, programs: 512 };
/** The user that programs run as if root starts them. */
const NOBODY = 65_534;

/** Path of the socket that a process of the zone listens on. */
export function socketOf(folder: string, service: SandboxService): string {
  return join(folder, `${service}.sock`);
}

export interface WorkerCommandOptions {
  /** Folder of the sockets. */
  readonly folder: string;
  /** Kernel isolation of the process, and of its child processes. */
  readonly isolation: KernelIsolation;
  /** Memory that the processes of the zone and programs share, in bytes. Undefined: no limit. */
  readonly containerMemory: number | undefined;
}

/**
 * The command line of a process of the sandbox zone, with the available kernel isolation. The process reads its own
 * code, and serves one socket, which the launcher creates. The process that starts programs executes the launcher, Node
 * and esbuild, and reads /proc for the memory of programs.
 */
export function workerCommand(
  service: SandboxService,
  { folder, isolation, containerMemory }: WorkerCommandOptions,
): ZoneCommand {
  const { launcher, inForce } = isolation;
  const shareMiB = ((containerMemory ?? Number.POSITIVE_INFINITY) * HEAP_SHARE[service]) / 2 ** 20;
  const heapMiB = Math.floor(Math.min(HEAP_MIB, shareMiB));
  const worker = workerIn(import.meta.dirname, workerFile);
  const code = codeFilesOf(worker);
  const esbuild = launcher === undefined || service !== "programs" ? undefined : findEsbuild();
  // An image contains the libraries in one file.
  const read = worker.endsWith(".mjs") ? [] : code;
  const variables = esbuild && esbuildVariables({ isolation, program: esbuild, read });
  return zoneCommand({
    ...{ worker, heapMiB, launcher },
    socket: socketOf(folder, service),
    flags: [
      `--zone=sandbox/${service}`,
      // Isolation of the process itself, which it cannot determine.
      `--isolation=${JSON.stringify(toIsolationReport(isolation))}`,
      ...(containerMemory === undefined ? [] : [`--memory=${containerMemory}`]),
      ...(launcher === undefined || service !== "programs" ? [] : [`--launcher=${launcher}`]),
      ...(variables === undefined ? [] : [`--esbuild-variables=${JSON.stringify(variables)}`]),
    ],
    // No variable of the operator: also not the path of Node's compile cache, because the operator would run code from
    // there.
    environment: { TZ: "UTC", LC_ALL: "C" },
    rules: () => ({
      ...confinementOf(service, { isolation, code, esbuild }),
      limits: {
        ...{ core: 0, "file-size": 0, "open-files": OPEN_FILES[service] },
        ...(service === "reader" && { "memory-data": (heapMiB + BASE_MIB) * 2 ** 20 }),
      },
      keepEnvironment: true,
      require: inForce,
      user: 0,
    }),
  });
}

interface ConfinementInput {
  readonly isolation: WorkerCommandOptions["isolation"];
  readonly code: readonly string[];
  readonly esbuild: string | undefined;
}

function confinementOf(
  service: SandboxService,
  { isolation: { node, launcher = "" }, code, esbuild }: ConfinementInput,
): LaunchRules {
  const read = [...node.read, ...code, "/dev/null"];
  if (service === "reader") return { read, execute: node.execute, seccomp: "reader" };
  const execute = [...node.execute, launcher, ...(esbuild === undefined ? [] : [esbuild])];
  return { read: [...read, "/proc"], execute, seccomp: "programs", childrenUser: NOBODY };
}
