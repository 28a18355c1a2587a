import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { provideBinaries } from "./binaries.ts";
import {
  type ClusterRecord,
  readClusterRecord,
  requireClusterRecord,
  writeClusterRecord,
} from "./cluster-record.ts";
import { COMPONENT_NAMES, type ComponentName, runPath } from "./component-arguments.ts";
import * as processes from "./component-process.ts";
import { writeKubeconfigs, writeServerFiles } from "./credentials.ts";
import { createFirstObjects, untilNodesReady } from "./first-objects.ts";
import { findFreePorts } from "./free-ports.ts";
import { resolveLocations } from "./locations.ts";
import { signalProcess } from "./process-identity.ts";
import { startWatchdog } from "./watchdog-guard.ts";

export interface StartLocalClusterOptions {
  readonly name?: string;
  /** Must not exist yet. Default: a new temporary folder. */
  readonly runDirectory?: string;
  /** False makes etcd faster and its data unsafe: tests only. */
  readonly fsync?: boolean;
  /** Number of simulated nodes. */
  readonly nodes?: number;
  /** `api`: etcd and kube-apiserver only, so that no controller acts and no pod runs. */
  readonly only?: "api" | "all";
  /**
   * `process`: the cluster ends with this process, however that ends. `detached`: it continues to run once it is ready.
   */
  readonly lifetime?: "process" | "detached";
  readonly env?: NodeJS.ProcessEnv;
  /** Receives progress lines; those of a build twice a second. */
  readonly report?: (line: string) => void;
  /** Aborts the start at its next step; it then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A control plane on this machine, with simulated nodes. */
export interface LocalCluster {
  readonly name: string;
  /** URL of the API server. */
  readonly server: string;
  readonly runDirectory: string;
  /** Kubeconfig of the user `admin`, in `system:masters`. */
  readonly kubeconfigPath: string;
  /** Kubeconfig of the user `operator` in the group `fairlead-operators`, which has no permissions by itself. */
  readonly operatorKubeconfigPath: string;
  /** Kubeconfig of the user `driver`, which has all permissions, but no exemption from priority and fairness. */
  readonly driverKubeconfigPath: string;
  /** One audit event per line and request, at level Metadata. */
  readonly auditLogPath: string;
  readonly kubectlPath: string | undefined;
  readonly components: readonly ComponentName[];
  /** Ends everything and removes the run directory. */
  stop(): Promise<void>;
  /** Ends one program. Default grace period: 3 s (an API server with open watches does not end by itself); 0 kills it. */
  stopComponent(name: ComponentName, options?: { readonly graceMs?: number }): Promise<void>;
  /** Starts a stopped program, at the same port and with the same data, and waits until it is healthy. */
  startComponent(name: ComponentName): Promise<void>;
  restart(name: ComponentName, options?: { readonly graceMs?: number }): Promise<void>;
  /** Sends a signal, such as SIGSTOP and SIGCONT to pause a program. Returns false if it has ended. */
  signalComponent(name: ComponentName, signal: NodeJS.Signals): boolean;
}

/**
 * Starts a cluster and waits until its nodes are Ready. A failed start removes everything that it created.
 *
 * @throws BinariesMissingError, ComponentFailedError
 */
export async function startLocalCluster(options: StartLocalClusterOptions = {}): Promise<LocalCluster> {
  const { name = "local", lifetime = "process", report = () => undefined, signal } = options;
  const draft = await planRecord(name, options);
  signal?.throwIfAborted();
  const runDirectory = await makeRunDirectory(name, options.runDirectory);
  const record = { ...draft, runDirectory };
  writeClusterRecord(record);
  const watchdog = startWatchdog(runDirectory);
  const stop = async () => {
    await stopCluster(runDirectory);
    await watchdog.release();
  };
  try {
    await writeServerFiles(runDirectory);
    await startMissingComponents(runDirectory, report, signal);
    if (lifetime === "detached") await watchdog.release();
    return { ...openLocalCluster(runDirectory), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Rejects an existing folder, because the whole folder is removed at the end. */
async function makeRunDirectory(name: string, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return mkdtemp(join(tmpdir(), `fairlead-${name}-`));
  await mkdir(dirname(wanted), { recursive: true });
  await mkdir(wanted, { mode: 0o700 });
  return wanted;
}

/** Starts the programs that do not run, in order, and waits until all are ready. */
export async function startMissingComponents(
  runDirectory: string,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { name, components, nodes } = requireClusterRecord(runDirectory);
  const server = serverOf(requireClusterRecord(runDirectory));
  for (const component of components) {
    signal?.throwIfAborted();
    if (!processes.isComponentRunning(requireClusterRecord(runDirectory), component)) {
      report(`Starting ${component}`);
      await processes.spawnComponent(runDirectory, component);
    }
    await processes.untilHealthy(runDirectory, component);
    if (component !== "kube-apiserver") continue;
    await writeKubeconfigs({ runDirectory, clusterName: name, server });
    await createFirstObjects({ runDirectory, server, nodes: components.includes("kwok") ? nodes : 0 });
  }
  if (!components.includes("kwok")) return;
  report(`Waiting for ${nodes} nodes`);
  await untilNodesReady({ runDirectory, server, nodes });
}

/**
 * Opens a running cluster by its run directory.
 *
 * @throws Error if there is none.
 */
export function openLocalCluster(runDirectory: string): LocalCluster {
  const record = requireClusterRecord(runDirectory);
  const stopComponent: LocalCluster["stopComponent"] = (name, { graceMs = 3_000 } = {}) =>
    processes.stopComponent(runDirectory, name, { graceMs });
  const startComponent = async (name: ComponentName) => {
    if (processes.isComponentRunning(requireClusterRecord(runDirectory), name)) return;
    await processes.spawnComponent(runDirectory, name);
    await processes.untilHealthy(runDirectory, name);
  };
  return {
    name: record.name,
    server: serverOf(record),
    runDirectory,
    kubeconfigPath: runPath(runDirectory, "kubeconfig"),
    operatorKubeconfigPath: runPath(runDirectory, "operatorKubeconfig"),
    driverKubeconfigPath: runPath(runDirectory, "driverKubeconfig"),
    auditLogPath: runPath(runDirectory, "auditLog"),
    kubectlPath: record.binaries.kubectl,
    components: record.components,
    stop: () => stopCluster(runDirectory),
    stopComponent,
    startComponent,
    async restart(name, options) {
      await stopComponent(name, options);
      await startComponent(name);
    },
    signalComponent(name, signal) {
      const identity = requireClusterRecord(runDirectory).processes[name];
      return identity !== undefined && signalProcess(identity, signal);
    },
  };
}

/** Ends all programs and removes the run directory. Does nothing if there is none. */
export async function stopCluster(runDirectory: string): Promise<void> {
  const record = readClusterRecord(runDirectory);
  if (record !== undefined) await processes.stopComponents(record, { graceMs: 2_000 });
  await rm(runDirectory, { recursive: true, force: true });
}

/** Gets the binaries and decides which programs run: all, or those with binaries. */
async function planRecord(
  name: string,
  options: StartLocalClusterOptions,
): Promise<Omit<ClusterRecord, "runDirectory">> {
  const {
    fsync = true,
    nodes = 3,
    only = "all",
    env = process.env,
    report = () => undefined,
    signal,
  } = options;
  const locations = resolveLocations({ env, home: homedir(), platform: process.platform });
  const rest: ComponentName[] = only === "api" ? [] : ["kube-controller-manager", "kube-scheduler", "kwok"];
  const { paths } = await provideBinaries({
    locations,
    env,
    required: ["etcd", "kube-apiserver"],
    optional: [...rest, "kubectl"],
    report,
    ...(signal && { signal }),
  });
  const wanted = only === "api" ? ["etcd", "kube-apiserver"] : COMPONENT_NAMES;
  const components = COMPONENT_NAMES.filter(
    (component) => wanted.includes(component) && paths.has(component),
  );
  if (components.length < wanted.length)
    report(`Without ${wanted.slice(2).join(", ")}: some of them are missing`);
  return {
    version: 1,
    name,
    ports: await findFreePorts(),
    fsync,
    nodes,
    components,
    binaries: Object.fromEntries(paths),
    processes: {},
  };
}

function serverOf({ ports }: Pick<ClusterRecord, "ports">): string {
  return `https://127.0.0.1:${ports.apiServer}`;
}
