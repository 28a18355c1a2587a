import type { Clock, Logger, Random } from "../../ports.ts";
import { ZoneProcess } from "../../zones/zone-process.ts";
import { wallsForGit } from "../zone-walls.ts";
import { type SourceWorkerOptions, sourceWalls, sourceWorkerCommand } from "./source-command.ts";

export interface SourceProcessOptions {
  /** Git gets of it where programs are and how the network is reached. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** It ends git's processes, and then itself, in this time; else it is killed. */
const END_MS = 3_000;

/** The process of the source zone. */
export interface SourceProcess {
  /** Undefined while the process is being restarted. */
  readonly pid: number | undefined;
  end(): Promise<void>;
}

/** Keeps the process of the source zone running. Its log goes where the log of this process goes. */
export function startSourceProcess(
  worker: SourceWorkerOptions,
  { environment, ...options }: SourceProcessOptions,
): SourceProcess {
  const rules = sourceWalls(worker, environment);
  const walls = wallsForGit({ walls: worker.walls, cache: worker.cache, rules, environment });
  if (walls.problem !== undefined)
    options.log.warn("The kernel does not keep the source zone apart", { reason: walls.problem });
  const zone = new ZoneProcess({
    ...options,
    name: "source",
    command: sourceWorkerCommand({ ...worker, walls }, environment),
    onLog: (chunk) => void process.stderr.write(chunk),
  });
  return {
    get pid() {
      return zone.pid;
    },
    end: () => zone.end({ withinMs: END_MS }),
  };
}
