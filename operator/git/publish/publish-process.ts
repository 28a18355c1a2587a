import { statSync } from "node:fs";
import { join } from "node:path";
import type { LaunchRules } from "../../sandbox/launch-arguments.ts";
import { workerIn } from "../../sandbox/zone-command.ts";
import type { ZoneCommand } from "../../zones/zone-process.ts";
import { localPathsOf, portsOf } from "../confine-git.ts";
import { credentialPlaces } from "../credential-places.ts";
import {
  type GitZoneOptions,
  type GitZoneProcess,
  type GitZoneProcessOptions,
  gitZoneCommand,
  gitZoneRules,
  startGitZone,
} from "../git-zone.ts";
import { parseRemoteUrl } from "../remote-url.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const publishWorkerFile = "publish-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 128;
/** Between two checks whether a repository on this machine was created or recreated. */
const LOOK_MS = 1_000;

/** What the process of the publish zone is started with. Nothing in it is secret: other users see command lines. */
export interface PublishWorkerOptions extends GitZoneOptions {
  /** URL of the repository. */
  readonly repository: string;
  /** Folder with the credentials of the repository; undefined: it needs none. */
  readonly credentials: string | undefined;
}

/** Path of the socket that the process listens on. */
export function publishSocketIn(folder: string): string {
  return join(folder, "publish.sock");
}

/**
 * The command line of the process of the publish zone.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function publishWorkerCommand(
  options: PublishWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ZoneCommand {
  const { folder, repository, credentials } = options;
  return gitZoneCommand({
    options,
    environment,
    worker: workerPath(),
    heapMiB: HEAP_MIB,
    semiSpaceMiB: 4,
    socket: publishSocketIn(folder),
    flags: [
      `--repository=${repository}`,
      ...(credentials === undefined ? [] : [`--credentials=${credentials}`]),
    ],
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
  options: PublishWorkerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): LaunchRules {
  const { repository, credentials } = options;
  const remote = parseRemoteUrl(repository);
  return gitZoneRules({
    options,
    environment,
    worker: workerPath(),
    read: credentials === undefined ? [] : credentialPlaces(credentials),
    local: localPathsOf(remote),
    tcpConnect: remote.protocol === "file" ? "any" : portsOf(remote, environment),
  });
}

/**
 * Keeps the process of the publish zone running.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function startPublishProcess(
  worker: PublishWorkerOptions,
  options: GitZoneProcessOptions,
): GitZoneProcess {
  const { environment, clock } = options;
  const { repository } = worker;
  let seen: string | undefined;
  const zone = startGitZone({
    ...options,
    name: "publish",
    options: worker,
    rules: publishWalls(worker, environment),
    onNoWalls: (reason) => options.log.warn("The kernel does not keep the publish zone apart", { reason }),
    command: (walls) => () => {
      seen = folderOf(repository);
      return publishWorkerCommand({ ...worker, walls }, environment);
    },
  });
  let cancelLook = (): void => {};
  const look = (): void => {
    const found = folderOf(repository);
    // Walls are around a folder, and not around its path.
    if (found !== undefined && found !== seen) zone.restart();
    cancelLook = clock.schedule(LOOK_MS, look);
  };
  if (zone.isConfined && parseRemoteUrl(repository).protocol === "file") look();
  return {
    get pid() {
      return zone.pid;
    },
    end: async () => {
      cancelLook();
      await zone.end();
    },
  };
}

/** What tells the folder of a repository on this machine from one that takes its place; undefined: there is none. */
function folderOf(repository: string): string | undefined {
  const [path] = localPathsOf(parseRemoteUrl(repository));
  const status = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return status && `${status.dev} ${status.ino}`;
}

function workerPath(): string {
  return workerIn(import.meta.dirname, publishWorkerFile);
}
