import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fairleadLine } from "../shell-text.ts";
import { type ClusterRecord, readClusterRecord } from "./cluster-record.ts";
import { type ComponentName, healthUrl } from "./component-arguments.ts";
import { isComponentHealthy, isComponentRunning } from "./component-process.ts";
import {
  type LocalCluster,
  openLocalCluster,
  startLocalCluster,
  startMissingComponents,
  stopCluster,
} from "./local-cluster.ts";
import { resolveLocations } from "./locations.ts";
import { lockPathOf, withLock } from "./lock.ts";
import { type NeededPort, requireFreePorts, requireWritable } from "./preconditions.ts";

export interface NamedClusterOptions {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface UpOptions extends NamedClusterOptions {
  readonly fsync?: boolean;
  readonly nodes?: number;
  readonly report?: (line: string) => void;
}

export interface UpResult {
  readonly cluster: LocalCluster;
  /** `running`: nothing had to be done; `resumed`: some of its programs had ended, and its data still existed. */
  readonly outcome: "started" | "resumed" | "running";
}

/** Ensures that a cluster of this name runs. It continues to run after this process. */
export async function up({ name, env, report = () => undefined, ...options }: UpOptions): Promise<UpResult> {
  const runDirectory = runDirectoryOf({ name, env });
  await requireWritable(dirname(runDirectory), { variable: "FAIRLEAD_STATE" });
  return withLock(lockPathOf(runDirectory), async () => {
    const record = readClusterRecord(runDirectory);
    const isComplete = record !== undefined && existsSync(openLocalCluster(runDirectory).kubeconfigPath);
    if (!isComplete) {
      // Remains of an `up` that was killed together with its watchdog.
      await stopCluster(runDirectory);
      const started = { ...options, name, env, report, runDirectory, lifetime: "detached" } as const;
      return { cluster: await startLocalCluster(started), outcome: "started" };
    }
    const isRunning = record.components.every((component) => isComponentRunning(record, component));
    if (!isRunning) {
      const remedy = `Stop that program, or start over: ${fairleadLine(["cluster", "down", "--name", name], env)}`;
      await requireFreePorts(portsOfStopped(record), { remedy });
      await startMissingComponents(runDirectory, report);
    }
    return { cluster: openLocalCluster(runDirectory), outcome: isRunning ? "running" : "resumed" };
  });
}

/** A cluster keeps its ports, because its certificates and kubeconfigs name them. */
function portsOfStopped(record: ClusterRecord): readonly NeededPort[] {
  const { ports } = record;
  return record.components
    .filter((component) => !isComponentRunning(record, component))
    .flatMap((program) => [
      { program, port: Number(new URL(healthUrl(program, record)).port) },
      ...(program === "etcd" ? [{ program, port: ports.etcdPeer }] : []),
    ]);
}

export interface ComponentStatus {
  readonly component: ComponentName;
  readonly pid: number | undefined;
  readonly state: "healthy" | "unhealthy" | "stopped";
}

export interface ClusterStatus {
  readonly cluster: LocalCluster;
  readonly components: readonly ComponentStatus[];
}

/** Reads the state of the programs of a cluster; undefined if there is no cluster of this name. */
export async function readStatus(options: NamedClusterOptions): Promise<ClusterStatus | undefined> {
  const runDirectory = runDirectoryOf(options);
  const record = readClusterRecord(runDirectory);
  if (record === undefined) return undefined;
  const components = record.components.map(async (component): Promise<ComponentStatus> => {
    if (!isComponentRunning(record, component)) return { component, pid: undefined, state: "stopped" };
    const state = (await isComponentHealthy(record, component)) ? "healthy" : "unhealthy";
    return { component, pid: record.processes[component]?.pid, state };
  });
  return { cluster: openLocalCluster(runDirectory), components: await Promise.all(components) };
}

/** Ends a cluster and removes its data. Returns false if there is no cluster of this name. */
export async function down(options: NamedClusterOptions): Promise<boolean> {
  const runDirectory = runDirectoryOf(options);
  if (readClusterRecord(runDirectory) === undefined) return false;
  await withLock(lockPathOf(runDirectory), () => stopCluster(runDirectory));
  return true;
}

/**
 * Run directory of a named cluster. Reads only the home folder.
 *
 * @throws Error if the name cannot be that of a folder.
 */
export function runDirectoryOf({ name, env }: NamedClusterOptions): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    throw new Error(
      `Cannot use the cluster name "${name}": use up to 40 of a-z, 0-9 and "-", not "-" at an end`,
    );
  }
  const { stateDirectory } = resolveLocations({ env, home: homedir(), platform: process.platform });
  return join(stateDirectory, "clusters", name);
}
