import type { Clock, Logger, Random } from "../../ports.ts";
import { ZoneProcess } from "../../zones/zone-process.ts";
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
  const zone = new ZoneProcess({
    ...options,
    name: "publish",
    command: publishWorkerCommand({ ...worker, walls }, environment),
    onLog: (chunk) => void process.stderr.write(chunk),
  });
  return {
    get pid() {
      return zone.pid;
    },
    end: () => zone.end({ withinMs: END_MS }),
  };
}
