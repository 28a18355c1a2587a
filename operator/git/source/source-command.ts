import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { codeFilesOf } from "../../sandbox/code-files.ts";
import type { KernelWalls } from "../../sandbox/kernel-walls.ts";
import type { LaunchRules } from "../../sandbox/launch-arguments.ts";
import { toWallsReport } from "../../sandbox/walls-report.ts";
import { workerIn, zoneCommand } from "../../sandbox/zone-command.ts";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import { certificateFiles, deviceFiles, programFolders, settingFiles } from "../confine-git.ts";
import { variablesForGit } from "../git-environment.ts";
import { localPlaces } from "./local-places.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const sourceWorkerFile = "source-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 384;
/** Connections of hooks, and pipes of git's processes. */
const OPEN_FILES = 1_023;

/** What the process of the source zone is started with. Nothing in it is secret: other users see command lines. */
export interface SourceWorkerOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** Most that all clones may take, in bytes. */
  readonly cacheBytes: number;
  /** Walls of the kernel for the process, and for git's processes. */
  readonly walls: KernelWalls;
  /** Whether no repository is polled where walls around git are missing. */
  readonly requireWalls: boolean;
  /** Whether repositories on this machine may be used. */
  readonly allowFile: boolean;
  /** Address and folder of secrets of the hooks; undefined: none are served. */
  readonly hooks: { readonly address: string; readonly secrets: string } | undefined;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

/** Path of the socket that the process listens on. */
export function sourceSocketIn(folder: string): string {
  return join(folder, "source.sock");
}

/**
 * The command line of the process of the source zone. The kernel's walls are around it, as far as there are any: it writes to
 * the clones, reads its own code, the secrets of hooks and what git reads, connects over TCP, and starts git.
 */
export function sourceWorkerCommand(
  options: SourceWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  const { folder, cache, cacheBytes, walls, requireWalls, allowFile, hooks, logLevel, logFormat } = options;
  const { launcher } = walls;
  return zoneCommand({
    worker: workerPath(),
    heapMiB: HEAP_MIB,
    socket: sourceSocketIn(folder),
    flags: [
      `--cache=${cache}`,
      `--cache-bytes=${cacheBytes}`,
      `--walls=${JSON.stringify(toWallsReport(walls))}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(requireWalls ? ["--require-walls"] : []),
      ...(allowFile ? ["--file-remotes"] : []),
      ...(hooks === undefined
        ? []
        : [`--hook-bind-address=${hooks.address}`, `--hook-secrets=${hooks.secrets}`]),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
    launcher,
    rules: () => sourceWalls(options, environment),
  });
}

/** What the process may do, and git with it, which has walls of its own besides. */
export function sourceWalls(
  { cache, walls, allowFile, hooks }: SourceWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): LaunchRules {
  const { launcher, inForce, node } = walls;
  const own = [...node.read, ...codeFilesOf(workerPath()), ...(hooks === undefined ? [] : [hooks.secrets])];
  const local = allowFile ? localPlaces(homedir()) : [];
  const settings = [...settingFiles, ...deviceFiles, ...certificateFiles(environment)];
  const read = [...own, ...settings, ...local].filter((path) => existsSync(path));
  return {
    read,
    write: [cache, "/dev/null"],
    execute: [...programFolders, ...node.execute, launcher ?? ""].filter((path) => existsSync(path)),
    // Of a Release: any port.
    tcpConnect: "any",
    ...(hooks !== undefined && {
      tcpListen: [Number(hooks.address.slice(hooks.address.lastIndexOf(":") + 1))],
    }),
    seccomp: "source",
    limits: { core: 0, "open-files": OPEN_FILES },
    keepEnvironment: true,
    require: inForce,
    user: 0,
  };
}

function workerPath(): string {
  return workerIn(import.meta.dirname, sourceWorkerFile);
}
