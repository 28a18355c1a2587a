import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "../ports.ts";
import { describeMissingWalls, noKernelWalls, probeLayers } from "../sandbox/kernel-walls.ts";
import { type ReportedWalls, toWallsReport, type WallsReport } from "../sandbox/walls-report.ts";
import { confineGit } from "./confine-git.ts";
import type { ConfineGit } from "./git-command.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GitProcesses } from "./git-process.ts";

export interface TryWallsOptions {
  /** Path of the launcher; undefined: there is none. */
  readonly launcher: string | undefined;
  /** Folder of the clones. */
  readonly cache: string;
  /** As for {@link confineGit}. */
  readonly credentials?: string | undefined;
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes which walls are around git. */
  readonly onWalls?: (walls: ReportedWalls) => void;
}

const TIMEOUT_MS = 10_000;

/**
 * Tries git behind the walls that the kernel has, in a folder of its own.
 *
 * @returns The walls for all git processes; undefined: git does not work behind them, and the log says so.
 */
export async function tryWalls(options: TryWallsOptions): Promise<ConfineGit | undefined> {
  const { cache, credentials, environment, isRoot, clock, log, onWalls = () => undefined } = options;
  const { launcher, landlockAbi, inForce, missing, problem, keptApart } = await probeLayers(
    options.launcher,
    isRoot ? { user: 0 } : {},
  );
  const refuse = (reason = ""): undefined => {
    const none = noKernelWalls(reason);
    onWalls({ ...none, problem: reason });
    log.warn("The kernel does not keep git processes apart", { reason, missing: none.missing });
  };
  if (launcher === undefined) return refuse(problem);
  const confine = confineGit({ launcher, inForce, isRoot, credentials });
  const home = join(cache, "walls");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const processes = new GitProcesses({ clock, timeoutMs: TIMEOUT_MS, confine });
  const run = {
    arguments: ["init", "--quiet", "--bare", "--template=", join(home, "try.git")],
    directory: home,
  };
  try {
    const result = await processes.run({
      ...run,
      environment: gitEnvironment({ home, environment, protocol: "https" }),
    });
    if (result.exitCode !== 0) return refuse(result.stderr);
  } catch (error) {
    return refuse(String(error));
  }
  onWalls({ landlockAbi, inForce, missing, keptApart });
  if (keptApart) log.info("The kernel keeps git processes apart", { inForce, missing });
  else log.warn("The kernel does not keep git processes apart", { inForce, missing });
  return confine;
}

export interface SetUpWallsOptions extends Pick<TryWallsOptions, "environment" | "isRoot" | "clock" | "log"> {
  /** Flags of the process (git-zone.ts). */
  readonly values: {
    readonly cache: string;
    readonly launcher?: string | undefined;
    /** Walls around this process, as JSON. */
    readonly walls: string;
    readonly "require-walls": boolean;
    /** As for {@link confineGit}. */
    readonly credentials?: string | undefined;
  };
}

export interface WallsOfWorker {
  /** Walls for all git processes; undefined: git does not work behind them. */
  readonly confine: ConfineGit | undefined;
  /** Walls around this process, and around git. */
  readonly walls: { readonly own: WallsReport; readonly git: WallsReport };
  /** Walls around git that are required, and that the kernel lacks. Undefined: git may run. */
  readonly gap: string | undefined;
}

/** Finds out in the process of a zone which walls are around it, and around git. */
export async function setUpWalls(options: SetUpWallsOptions): Promise<WallsOfWorker> {
  const { values, log, environment, isRoot, clock } = options;
  const { cache, credentials, launcher } = values;
  const own = JSON.parse(values.walls) as WallsReport;
  let git: ReportedWalls = noKernelWalls("");
  const onWalls = (walls: ReportedWalls): void => {
    git = walls;
  };
  const confine = await tryWalls({ launcher, cache, credentials, environment, isRoot, clock, log, onWalls });
  const gap = values["require-walls"] ? describeMissingWalls(git, "git processes") : undefined;
  return { confine, walls: { own, git: toWallsReport(git) }, gap };
}
