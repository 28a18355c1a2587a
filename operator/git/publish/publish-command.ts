import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeFilesOf } from "../../sandbox/code-files.ts";
import type { KernelWalls } from "../../sandbox/kernel-walls.ts";
import type { LaunchRules } from "../../sandbox/launch-arguments.ts";
import { toWallsReport } from "../../sandbox/walls-report.ts";
import { workerIn, zoneCommand } from "../../sandbox/zone-command.ts";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import {
  certificateFiles,
  deviceFiles,
  localPathsOf,
  portsOf,
  programFolders,
  settingFiles,
} from "../confine-git.ts";
import { credentialPlaces } from "../credential-places.ts";
import { variablesForGit } from "../git-environment.ts";
import { parseRemoteUrl } from "../remote-url.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const publishWorkerFile = "publish-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 128;
/** Pipes of git's processes. */
const OPEN_FILES = 1_023;

/** What the process of the publish zone is started with. Nothing in it is secret: other users see command lines. */
export interface PublishWorkerOptions {
  /** Folder of its socket. */
  readonly folder: string;
  /** Folder of the clones. */
  readonly cache: string;
  /** URL of the repository. */
  readonly repository: string;
  /** Folder with the credentials of the repository; undefined: it needs none. */
  readonly credentials: string | undefined;
  /** Walls of the kernel for the process, and for git's processes. */
  readonly walls: KernelWalls;
  /** Whether nothing is published where walls around git are missing. */
  readonly requireWalls: boolean;
  readonly logLevel: string;
  readonly logFormat: string | undefined;
}

/** Path of the socket that the process listens on. */
export function publishSocketIn(folder: string): string {
  return join(folder, "publish.sock");
}

/**
 * The command line of the process of the publish zone. The kernel's walls are around it, as far as there are any.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function publishWorkerCommand(
  options: PublishWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  const { folder, cache, repository, credentials, walls, requireWalls, logLevel, logFormat } = options;
  const { launcher } = walls;
  return zoneCommand({
    worker: workerPath(),
    heapMiB: HEAP_MIB,
    semiSpaceMiB: 4,
    socket: publishSocketIn(folder),
    flags: [
      `--cache=${cache}`,
      `--repository=${repository}`,
      ...(credentials === undefined ? [] : [`--credentials=${credentials}`]),
      `--walls=${JSON.stringify(toWallsReport(walls))}`,
      ...(launcher === undefined ? [] : [`--launcher=${launcher}`]),
      ...(requireWalls ? ["--require-walls"] : []),
      `--log-level=${logLevel}`,
      ...(logFormat === undefined ? [] : [`--log-format=${logFormat}`]),
    ],
    environment: { TZ: "UTC", ...variablesForGit(environment) },
    launcher,
    rules: () => publishWalls(options, environment),
  });
}

/**
 * What the process may do: write to the clones, read its own code, the credentials and what git reads, connect to the port of
 * the repository, and start git. Hooks of a repository on this machine are programs in it, which may use the network.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function publishWalls(
  { cache, repository, credentials, walls }: PublishWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): LaunchRules {
  const { launcher, inForce, node } = walls;
  const remote = parseRemoteUrl(repository);
  const local = localPathsOf(remote);
  const secrets = credentials === undefined ? [] : credentialPlaces(credentials);
  const own = [...node.read, ...codeFilesOf(workerPath()), ...secrets];
  const settings = [...settingFiles, ...deviceFiles, ...certificateFiles(environment)];
  const programs = [...programFolders, ...node.execute, launcher ?? ""];
  return {
    read: [...own, ...settings].filter((path) => existsSync(path)),
    write: [cache, "/dev/null", ...local],
    execute: [...programs, ...local].filter((path) => existsSync(path)),
    tcpConnect: remote.protocol === "file" ? "any" : portsOf(remote, environment),
    seccomp: "source",
    limits: { core: 0, "open-files": OPEN_FILES },
    keepEnvironment: true,
    require: inForce,
    user: 0,
  };
}

function workerPath(): string {
  return workerIn(import.meta.dirname, publishWorkerFile);
}
