import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { Clock, Logger, Random } from "../../ports.ts";
import { type KernelWalls, noKernelWalls } from "../../sandbox/kernel-walls.ts";
import { launchArguments } from "../../sandbox/launch-arguments.ts";
import { ZoneProcess } from "../../zones/zone-process.ts";
import { findProgram } from "../confine-git.ts";
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
/** Longest time that git may take to say its version, on a busy machine. */
const TRY_MS = 10_000;

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
  const walls = wallsForGit(worker, environment);
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

/** The walls for the process; none, with the reason, where git cannot be started behind them: it may be anywhere. */
function wallsForGit(
  worker: SourceWorkerOptions,
  environment: SourceProcessOptions["environment"],
): KernelWalls {
  const { walls, cache } = worker;
  const { launcher } = walls;
  if (launcher === undefined) return walls;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const git = findProgram("git", environment["PATH"]);
    // Without git the process itself says what is missing.
    if (git === undefined) return walls;
    const words = launchArguments(sourceWalls(worker), [git, "--version"]);
    execFileSync(launcher, words, {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TRY_MS,
    });
    return walls;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: Buffer | string };
    const [line = ""] = String(stderr).trim().split("\n");
    return { ...noKernelWalls(line === "" ? (error as Error).message : line) };
  }
}
