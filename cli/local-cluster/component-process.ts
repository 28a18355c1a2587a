import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ClusterRecord, requireClusterRecord, writeClusterRecord } from "./cluster-record.ts";
import { type ComponentName, componentArguments, healthUrl } from "./component-arguments.ts";
import { sendLoopback } from "./loopback-request.ts";
import { isRunning, readProcessIdentity, signalProcess } from "./process-identity.ts";
import { waitUntil } from "./wait.ts";

const STAGES_PATH = fileURLToPath(new URL("./stages.yaml", import.meta.url));

/** A program of the cluster ended before it was ready; the message contains the end of its log. */
export class ComponentFailedError extends Error {
  override readonly name = "ComponentFailedError";
}

/** Starts one program in a session of its own, so that a Ctrl-C does not reach it, and adds it to the record. */
export async function spawnComponent(runDirectory: string, name: ComponentName): Promise<void> {
  const record = requireClusterRecord(runDirectory);
  const binary = record.binaries[name];
  if (binary === undefined) throw new Error(`Cannot start "${name}": this cluster was created without it`);
  const log = openSync(logPath(runDirectory, name), "a", 0o600);
  try {
    const args = componentArguments(name, { ...record, stagesPath: STAGES_PATH });
    const child = spawn(binary, args, { cwd: runDirectory, detached: true, stdio: ["ignore", log, log] });
    const identity = child.pid === undefined ? undefined : readProcessIdentity(child.pid);
    if (identity === undefined)
      await once(child, "spawn"); // Rejects with the abort reason.
    else writeClusterRecord({ ...record, processes: { ...record.processes, [name]: identity } });
    child.unref();
  } finally {
    closeSync(log);
  }
}

/**
 * Waits until a program is healthy.
 *
 * @throws ComponentFailedError at once if it ends.
 */
export async function untilHealthy(
  runDirectory: string,
  name: ComponentName,
  timeoutMs = 60_000,
): Promise<void> {
  const record = requireClusterRecord(runDirectory);
  await waitUntil(
    async () => {
      if (!isComponentRunning(record, name)) throw await componentFailed(runDirectory, name);
      return isComponentHealthy(record, name);
    },
    { what: `${name} to be healthy; its log is ${logPath(runDirectory, name)}`, timeoutMs },
  );
}

export function isComponentRunning(record: ClusterRecord, name: ComponentName): boolean {
  const identity = record.processes[name];
  return identity !== undefined && isRunning(identity);
}

export async function isComponentHealthy(record: ClusterRecord, name: ComponentName): Promise<boolean> {
  return sendLoopback(healthUrl(name, record), { timeoutMs: 2_000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

export interface StopComponentOptions {
  /** Time before it is killed; 0 kills it at once. */
  readonly graceMs: number;
}

/** Ends one program and waits for its end. It is not an error if it has ended already. */
export async function stopComponent(
  runDirectory: string,
  name: ComponentName,
  { graceMs }: StopComponentOptions,
): Promise<void> {
  const identity = requireClusterRecord(runDirectory).processes[name];
  if (identity === undefined) return;
  const isGone = () => !isRunning(identity);
  if (graceMs > 0 && signalProcess(identity, "SIGTERM")) {
    const wait = { what: `${name} to end`, timeoutMs: graceMs, intervalMs: 20 };
    await waitUntil(isGone, wait).catch(() => undefined); // It is killed below.
  }
  signalProcess(identity, "SIGKILL");
  await waitUntil(isGone, { what: `${name} to be killed`, timeoutMs: 10_000, intervalMs: 10 });
}

/** Ends all programs of a cluster, the last one first. A folder without a record has none. */
export async function stopComponents(record: ClusterRecord, options: StopComponentOptions): Promise<void> {
  for (const name of record.components.toReversed()) await stopComponent(record.runDirectory, name, options);
}

export function logPath(runDirectory: string, name: ComponentName): string {
  return join(runDirectory, `${name}.log`);
}

async function componentFailed(runDirectory: string, name: ComponentName): Promise<ComponentFailedError> {
  const log = await readFile(logPath(runDirectory, name), "utf8").catch(() => "");
  const tail = log.trimEnd().split("\n").slice(-10).join("\n");
  return new ComponentFailedError(`Cannot start "${name}": it ended. Last log lines:\n${tail}`);
}
