import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "../ports.ts";
import type { ReportedIsolation } from "../sandbox/isolation-report.ts";
import { noKernelIsolation, probeLayers } from "../sandbox/kernel-isolation.ts";
import { confineGit } from "./confine-git.ts";
import type { ConfineGit } from "./git-command.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GitProcesses } from "./git-process.ts";

export interface TryIsolationOptions {
  /** Path of the launcher; undefined: there is none. */
  readonly launcher: string | undefined;
  /** Folder of the clones. */
  readonly cache: string;
  /** As for {@link confineGit}. */
  readonly credentials?: string | undefined;
  /** The environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface TriedIsolation {
  /** Starts git processes with isolation; undefined: git does not work with it. */
  readonly confine: ConfineGit | undefined;
  /** Isolation of git. */
  readonly isolation: ReportedIsolation;
}

const TIMEOUT_MS = 10_000;

/** Tries git with the isolation that the kernel supports, in a folder of its own. Logs the result. */
export async function tryIsolation(options: TryIsolationOptions): Promise<TriedIsolation> {
  const { cache, credentials, environment, isRoot, clock, log } = options;
  const { launcher, landlockAbi, inForce, missing, problem, keptApart } = await probeLayers(
    options.launcher,
    isRoot ? { user: 0 } : {},
  );
  const refuse = (reason = ""): TriedIsolation => {
    const none = noKernelIsolation(reason);
    log.warn("The kernel does not isolate git processes", { reason, missing: none.missing });
    return { confine: undefined, isolation: { ...none, problem: reason } };
  };
  if (launcher === undefined) return refuse(problem);
  const confine = confineGit({ launcher, inForce, isRoot, credentials });
  const home = join(cache, "isolation");
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
  if (keptApart) log.info("The kernel isolates git processes", { inForce, missing });
  else log.warn("The kernel does not isolate git processes", { inForce, missing });
  return { confine, isolation: { landlockAbi, inForce, missing, keptApart } };
}
