import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { type KernelWalls, noKernelWalls } from "../sandbox/kernel-walls.ts";
import { type LaunchRules, launchArguments } from "../sandbox/launch-arguments.ts";
import { findProgram } from "./confine-git.ts";

export interface ZoneWallsOptions {
  readonly walls: KernelWalls;
  /** Folder of the clones. It is made. */
  readonly cache: string;
  /** What the process may do. */
  readonly rules: LaunchRules;
  /** Has the path of programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Longest time that git may take to say its version, on a busy machine. */
const TRY_MS = 10_000;

/** The walls for a process that starts git; none, with the reason, where git cannot be started behind them: it may be anywhere. */
export function wallsForGit({ walls, cache, rules, environment }: ZoneWallsOptions): KernelWalls {
  const { launcher } = walls;
  if (launcher === undefined) return walls;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    const git = findProgram("git", environment["PATH"]);
    // Without git the process itself says what is missing.
    if (git === undefined) return walls;
    execFileSync(launcher, launchArguments(rules, [git, "--version"]), {
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
