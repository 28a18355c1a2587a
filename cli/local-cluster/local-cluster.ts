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
  /** Must not exist yet. Default: a new folder among the temporary ones. */
  readonly runDirectory?: string;
  /** False makes etcd faster and its data unsafe: tests only. */
  readonly fsync?: boolean;
  /** Simulated nodes. */
  readonly nodes?: number;
  /** `api`: etcd and kube-apiserver only, so that no controller acts and no pod runs. */
  readonly only?: "api" | "all";
  /** `process`: the cluster ends with this process, in whatever way that ends. `detached`: it lives on once it is ready. */
  readonly lifetime?: "process" | "detached";
  readonly env?: NodeJS.ProcessEnv;
  /** Takes lines about what is going on; lines of a build come twice a second. */
  readonly report?: (line: string) => void;
  /** Gives the start up, at the next step of it; it then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A control plane on this machine, with simulated nodes. */
export interface LocalCluster {
  readonly name: string;
  /** URL of the API server. */
  readonly server: string;
  readonly runDirectory: string;
  /** For the user `admin`, in `system:masters`. */
  readonly kubeconfigPath: string;
  /** For the user `operator` of the group `fairlead-operators`, which has no rights by itself. */
  readonly operatorKubeconfigPath: string;
  /** For the user `driver`, who may do everything but is not exempt from priority and fairness. */
  readonly driverKubeconfigPath: string;
  /** One audit event per line and request, at level Metadata. */
  readonly auditLogPath: string;
  readonly kubectlPath: string | undefined;
  readonly components: readonly ComponentName[];
  /** Ends everything and removes the run directory. */
  stop(): Promise<void>;
  /** Ends one program. Default grace: 3 s (an API server with open watches does not end by itself); 0 kills it. */
  stopComponent(name: ComponentName, options?: { readonly graceMs?: number }): Promise<void>;
  /** Starts a program that does not run, at the same port and with the same data, and waits until it is healthy. */
  startComponent(name: ComponentName): Promise<void>;
  restart(name: ComponentName, options?: { readonly graceMs?: number }): Promise<void>;
  /** Sends a signal, such as SIGSTOP and SIGCONT to pause a program. Gives false if it is gone. */
  signalComponent(name: ComponentName, signal: NodeJS.Signals): boolean;
}

/**
 * Starts a cluster and waits until its nodes are Ready. A start that fails leaves nothing behind.
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

/** Refuses a folder that is there already: all of it is removed at the end. */
async function makeRunDirectory(name: string, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return mkdtemp(join(tmpdir(), `fairlead-${name}-`));
  await mkdir(dirname(wanted), { recursive: true });
  await mkdir(wanted, { mode: 0o700 });
  return wanted;
}

/** Starts what is not running, in order, and waits until all is ready. */
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
 * Gives access to a running cluster, by its run directory.
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

/** Ends what runs and removes the run directory. Nothing there: nothing to do. */
export async function stopCluster(runDirectory: string): Promise<void> {
  const record = readClusterRecord(runDirectory);
  if (record !== undefined) await processes.stopComponents(record, { graceMs: 2_000 });
  await rm(runDirectory, { recursive: true, force: true });
}

/** Gets the binaries and decides what runs: all, or as much as there are binaries for. */
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
