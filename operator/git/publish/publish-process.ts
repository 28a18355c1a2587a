import { statSync } from "node:fs";
import { workerIn } from "../../sandbox/zone-command.ts";
import { localPathsOf, portsOf } from "../confine-git.ts";
import { credentialPlaces } from "../credential-places.ts";
import {
  type GitZone,
  type GitZoneOptions,
  type GitZoneProcess,
  type GitZoneProcessOptions,
  startGitZone,
} from "../git-zone.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { PUBLISH_ZONE } from "./messages.ts";

/** Name of the bundle of worker.ts in an image, beside the program. */
export const publishWorkerFile = "publish-worker.mjs";

/** V8's heap of the process, in MiB. */
const HEAP_MIB = 128;
/** Interval between checks whether a repository on this machine was created or recreated. */
const CHECK_MS = 1_000;

/**
 * Options for starting the process of the publish zone. None of them is secret, because other users can read command
 * lines.
 */
export interface PublishWorkerOptions extends GitZoneOptions {
  /** URL of the repository. */
  readonly repository: string;
  /** Folder with the credentials of the repository; undefined: it needs none. */
  readonly credentials: string | undefined;
}

/**
 * The process that commits and pushes. It may also read the credentials, and connects only to the port of the
 * repository. Hooks of a repository on this machine are programs in it, which may use the network.
 */
export const publishZone: GitZone<PublishWorkerOptions> = {
  name: PUBLISH_ZONE,
  get worker() {
    return workerIn(import.meta.dirname, publishWorkerFile);
  },
  heapMiB: HEAP_MIB,
  semiSpaceMiB: 4,
  flags: ({ repository, credentials }) => [
    `--repository=${repository}`,
    ...(credentials === undefined ? [] : [`--credentials=${credentials}`]),
  ],
  rules: ({ repository, credentials }, environment) => {
    const remote = parseRemoteUrl(repository);
    return {
      read: credentials === undefined ? [] : credentialPlaces(credentials),
      local: localPathsOf(remote),
      tcpConnect: remote.protocol === "file" ? "any" : portsOf(remote, environment),
    };
  },
};

/**
 * Keeps the process of the publish zone running.
 *
 * @throws RemoteUrlError for a repository whose protocol is not supported.
 */
export function startPublishProcess(
  worker: PublishWorkerOptions,
  options: GitZoneProcessOptions,
): GitZoneProcess {
  const { clock } = options;
  const { repository } = worker;
  let seen: string | undefined;
  const onStart = (): void => {
    seen = folderOf(repository);
  };
  const zone = startGitZone(publishZone, worker, { ...options, onStart });
  let cancelCheck = (): void => {};
  const check = (): void => {
    const found = folderOf(repository);
    // Isolation applies to a folder, and not to its path.
    if (found !== undefined && found !== seen) zone.restart();
    cancelCheck = clock.schedule(CHECK_MS, check);
  };
  if (zone.isConfined && parseRemoteUrl(repository).protocol === "file") check();
  return {
    get pid() {
      return zone.pid;
    },
    end: async () => {
      cancelCheck();
      await zone.end();
    },
  };
}

/** Identifies the folder of a repository on this machine, to detect its replacement; undefined: it does not exist. */
function folderOf(repository: string): string | undefined {
  const [path] = localPathsOf(parseRemoteUrl(repository));
  const status = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return status && `${status.dev} ${status.ino}`;
}
