import { statSync } from "node:fs";
import type { Clock, Logger, Random } from "../../ports.ts";
import { ZoneProcess } from "../../zones/zone-process.ts";
import { localPathsOf } from "../confine-git.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { wallsForGit } from "../zone-walls.ts";
import { type PublishWorkerOptions, publishWalls, publishWorkerCommand } from "./publish-command.ts";

export interface PublishProcessOptions {
  /** Git gets of it where programs are and how the network is reached. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** It ends git's processes, and then itself, in this time; else it is killed. */
const END_MS = 3_000;
/** A repository on this machine that is made later, or made anew, is noticed in this time. */
const LOOK_MS = 1_000;

/** The process of the publish zone. */
export interface PublishProcess {
  /** Undefined while the process is being restarted. */
  readonly pid: number | undefined;
  end(): Promise<void>;
}

/**
 * Keeps the process of the publish zone running. Its log goes where the log of this process goes.
 *
 * @throws RemoteUrlError for a repository that we do not speak to.
 */
export function startPublishProcess(
  worker: PublishWorkerOptions,
  { environment, ...options }: PublishProcessOptions,
): PublishProcess {
  const rules = publishWalls(worker, environment);
  const walls = wallsForGit({ walls: worker.walls, cache: worker.cache, rules, environment });
  if (walls.problem !== undefined)
    options.log.warn("The kernel does not keep the publish zone apart", { reason: walls.problem });
  let seen: string | undefined;
  const zone = new ZoneProcess({
    ...options,
    name: "publish",
    command: () => {
      seen = folderOf(worker.repository);
      return publishWorkerCommand({ ...worker, walls }, environment);
    },
    onLog: (chunk) => void process.stderr.write(chunk),
  });
  let cancelLook = (): void => {};
  const look = (): void => {
    const found = folderOf(worker.repository);
    // Walls are around a folder, and not around its path.
    if (found !== undefined && found !== seen) zone.restart();
    cancelLook = options.clock.schedule(LOOK_MS, look);
  };
  if (walls.launcher !== undefined && parseRemoteUrl(worker.repository).protocol === "file") look();
  return {
    get pid() {
      return zone.pid;
    },
    end: async () => {
      cancelLook();
      await zone.end({ withinMs: END_MS });
    },
  };
}

/** What tells the folder of a repository on this machine from one that takes its place; undefined: there is none. */
function folderOf(repository: string): string | undefined {
  const [path] = localPathsOf(parseRemoteUrl(repository));
  const status = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return status && `${status.dev} ${status.ino}`;
}
