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

/** Records the owners of a run: while one of these processes lives, no other process removes it. */
export function writeOwners(runDirectory: string, pids: readonly (number | undefined)[]): void {
  const owners = pids.flatMap((pid) => (pid === undefined ? [] : (readProcessIdentity(pid) ?? [])));
  writeFileSync(pathOf(runDirectory, "owners"), JSON.stringify(owners));
}

/** Removes what runs have left whose keeper was killed, too: their cgroups and folders. All else went with them. */
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
    return undefined; // It was killed while it wrote, or is just starting.
  }
}
