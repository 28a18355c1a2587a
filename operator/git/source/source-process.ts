import { homedir } from "node:os";
import { join } from "node:path";
import type { LaunchRules } from "../../sandbox/launch-arguments.ts";
import { workerIn } from "../../sandbox/zone-command.ts";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import {
  type GitZoneOptions,
  type GitZoneProcess,
  type GitZoneProcessOptions,
  gitZoneCommand,
  gitZoneRules,
  startGitZone,
} from "../git-zone.ts";
import { localPlaces } from "./local-places.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const sourceWorkerFile = "source-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 384;

/** What the process of the source zone is started with. Nothing in it is secret: other users see command lines. */
export interface SourceWorkerOptions extends GitZoneOptions {
  /** Most that all clones may take, in bytes. */
  readonly cacheBytes: number;
  /** Whether repositories on this machine may be used. */
  readonly allowFile: boolean;
  /** Address and folder of secrets of the hooks; undefined: none are served. */
  readonly hooks: { readonly address: string; readonly secrets: string } | undefined;
}

/** Path of the socket that the process listens on. */
export function sourceSocketIn(folder: string): string {
  return join(folder, "source.sock");
}

/** The command line of the process of the source zone. */
export function sourceWorkerCommand(
  options: SourceWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  const { folder, cacheBytes, allowFile, hooks } = options;
  return gitZoneCommand({
    options,
    environment,
    worker: workerPath(),
    heapMiB: HEAP_MIB,
    socket: sourceSocketIn(folder),
    flags: [
      `--cache-bytes=${cacheBytes}`,
      ...(allowFile ? ["--file-remotes"] : []),
      ...(hooks === undefined
        ? []
        : [`--hook-bind-address=${hooks.address}`, `--hook-secrets=${hooks.secrets}`]),
    ],
    rules: () => sourceWalls(options, environment),
  });
}

/** What the process may do, and git with it, which has walls of its own besides: also read the secrets of hooks, and listen for them. */
export function sourceWalls(
  options: SourceWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): LaunchRules {
  const { allowFile, hooks } = options;
  return gitZoneRules({
    options,
    environment,
    worker: workerPath(),
    read: [...(hooks === undefined ? [] : [hooks.secrets]), ...(allowFile ? localPlaces(homedir()) : [])],
    // Of a resource: any port.
    tcpConnect: "any",
    ...(hooks !== undefined && {
      tcpListen: [Number(hooks.address.slice(hooks.address.lastIndexOf(":") + 1))],
    }),
  });
}

/** Keeps the process of the source zone running. */
export function startSourceProcess(
  worker: SourceWorkerOptions,
  options: GitZoneProcessOptions,
): GitZoneProcess {
  const { environment } = options;
  return startGitZone({
    ...options,
    name: "source",
    options: worker,
    rules: sourceWalls(worker, environment),
    onNoWalls: (reason) => options.log.warn("The kernel does not keep the source zone apart", { reason }),
    command: (walls) => sourceWorkerCommand({ ...worker, walls }, environment),
  });
}

function workerPath(): string {
  return workerIn(import.meta.dirname, sourceWorkerFile);
}
