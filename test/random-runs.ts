import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalCluster, startLocalCluster } from "../cli/local-cluster/local-cluster.ts";
import type { TestCluster } from "./cluster/global-setup.ts";

// Shared by the programs that make random runs on a separate cluster: faults, kills of Releases, tenants.

/** Writes a line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Aborts at the first SIGINT or SIGTERM, so that the current work can finish. The second one ends the process. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
      print("Stopping; a second signal exits at once");
    });
  return stop.signal;
}

/** Starts a local cluster for `run`, and stops it after that. */
export async function onCluster(
  name: string,
  run: (cluster: TestCluster, local: LocalCluster) => Promise<void>,
): Promise<void> {
  const cluster = await startLocalCluster({ name, fsync: false, report: print });
  try {
    const { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath = "kubectl" } = cluster;
    await run({ kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath }, cluster);
  } finally {
    await cluster.stop();
  }
}

export interface ConcurrencyOptions<Input> {
  /** Number of concurrent runs. */
  readonly lanes: number;
  /** Aborted: no further run is started. */
  readonly signal: AbortSignal;
  readonly run: (input: Input) => Promise<void>;
}

/** Makes one run for each input, in order, with a limited number at the same time. */
export async function runConcurrently<Input>(
  inputs: readonly Input[],
  { lanes, signal, run }: ConcurrencyOptions<Input>,
): Promise<void> {
  const waiting = [...inputs];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      await run(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Writes the log of a run to a file. @returns The path of its file. */
export async function keepLog(
  folder: string,
  { seed, lines }: { readonly seed: number; readonly lines: readonly string[] },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.log`);
  await writeFile(file, lines.join("\n"));
  return file;
}

/** Time since a moment of `performance.now()`, for users. */
export function minutesSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 60_000).toFixed(1)} min`;
}
