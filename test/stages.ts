import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalCluster, startLocalCluster } from "../cli/local-cluster/local-cluster.ts";
import type { TestCluster } from "./cluster/global-setup.ts";

// Shared by the programs that play random stages on a cluster of their own: faults, kills of Releases, tenants.

/** Writes a line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Aborts at the first SIGINT or SIGTERM, so that what is under way comes to its end. The second one ends the process. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
      print("Stopping; once more to end at once");
    });
  return stop.signal;
}

/** Starts a local cluster for `play`, and stops it after that. */
export async function onCluster(
  name: string,
  play: (cluster: TestCluster, local: LocalCluster) => Promise<void>,
): Promise<void> {
  const cluster = await startLocalCluster({ name, fsync: false, report: print });
  try {
    const { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath = "kubectl" } = cluster;
    await play({ kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath }, cluster);
  } finally {
    await cluster.stop();
  }
}

export interface LaneOptions<Stage> {
  /** Stages at the same time. */
  readonly lanes: number;
  /** No stage begins after it was aborted. */
  readonly signal: AbortSignal;
  readonly play: (stage: Stage) => Promise<void>;
}

/** Plays stages in their order, so many at a time. */
export async function playInLanes<Stage>(
  stages: readonly Stage[],
  { lanes, signal, play }: LaneOptions<Stage>,
): Promise<void> {
  const waiting = [...stages];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      await play(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Keeps the log of a stage. @returns The path of its file. */
export async function keepLog(
  folder: string,
  { seed, lines }: { readonly seed: number; readonly lines: readonly string[] },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.log`);
  await writeFile(file, lines.join("\n"));
  return file;
}

/** Time since a moment of `performance.now()`, for people. */
export function minutesSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 60_000).toFixed(1)} min`;
}
