import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isRunning,
  type ProcessIdentity,
  readProcessIdentity,
} from "../../cli/local-cluster/process-identity.ts";
import { removeCgroups } from "./node/cgroups.ts";
import { pathOf, readPlan } from "./node/layout.ts";

export const RUN_PREFIX = "fairlead-e2e-";

/** Records the owners of a run. While one of these processes runs, no other process removes the run. */
export function writeOwners(runDirectory: string, pids: readonly (number | undefined)[]): void {
  const owners = pids.flatMap((pid) => (pid === undefined ? [] : (readProcessIdentity(pid) ?? [])));
  writeFileSync(pathOf(runDirectory, "owners"), JSON.stringify(owners));
}

/** Removes the cgroups and folders of runs whose supervisor was killed. Everything else has ended with them. */
export async function removeStaleRuns(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(RUN_PREFIX))) {
    const runDirectory = join(tmpdir(), name);
    const owners = readJson<ProcessIdentity[]>(() => readFileSync(pathOf(runDirectory, "owners"), "utf8"));
    if (owners === undefined || owners.some(isRunning)) continue;
    const plan = readJson(() => JSON.stringify(readPlan(runDirectory))) as { cgroups?: string[] } | undefined;
    await removeCgroups(plan?.cgroups ?? []);
    await rm(runDirectory, { recursive: true, force: true });
  }
}

function readJson<T>(read: () => string): T | undefined {
  try {
    return JSON.parse(read()) as T;
  } catch {
    return undefined; // The run was killed during the write, or is starting.
  }
}
