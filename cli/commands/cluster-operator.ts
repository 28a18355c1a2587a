import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import type { Installation } from "../../charts/installation.ts";
import { type OperatorProcess, startOperatorProcess } from "../demo/operator-process.ts";
import { stopOnSignals, untilAborted } from "../demo/stop-signals.ts";
import { withCluster } from "../install/connect.ts";
import type { InstallClient } from "../install/install-client.ts";
import { chooseInstance, isInUse, type OperatorInstance } from "../install/operator-instance.ts";
import { kubeconfigOf, readServerCertificate } from "../local-cluster/credentials.ts";
import { type LocalCluster, openLocalCluster } from "../local-cluster/local-cluster.ts";
import { runDirectoryOf } from "../local-cluster/named-cluster.ts";
import { fairleadLine } from "../shell-text.ts";
import { printError, printLine } from "../terminal-text.ts";

export interface ClusterOperatorOptions extends Installation {
  readonly cluster: string;
}

const podWaitMs = 60_000;
const pollMs = 2_000;

/**
 * `fairlead cluster operator`: runs the operator that is installed in a local cluster, whose pods are simulated. The process
 * replaces one of these pods: it has the pod's options, its name and the permissions of its ServiceAccount. If a changed
 * Deployment replaces the pod, the process uses the new pod.
 */
export async function runClusterOperator({
  cluster: name,
  ...installation
}: ClusterOperatorOptions): Promise<void> {
  const runDirectory = runDirectoryOf({ name, env: process.env });
  if (!existsSync(runDirectory))
    throw new Error(
      `There is no cluster "${name}". Start it: ${fairleadLine(["cluster", "up", "--name", name], process.env)}`,
    );
  const cluster = openLocalCluster(runDirectory);
  const signal = stopOnSignals();
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-operator-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await withCluster({ kubeconfig: cluster.kubeconfigPath }, async (client) => {
    while (!signal.aborted) {
      const instance = await chooseInstance(client, installation, {
        deadlineMs: performance.now() + podWaitMs,
      });
      printLine(
        `Running the operator in place of pod ${installation.namespace}/${instance.pod.metadata.name}, until Ctrl-C`,
      );
      const operator = await start(instance, cluster, folder);
      // Otherwise the poll for a replaced pod would prevent this process from exiting after the operator has ended.
      const polling = new AbortController();
      try {
        const ended = await Promise.race([
          untilAborted(signal),
          operator.ended,
          untilReplaced(client, installation, instance, AbortSignal.any([signal, polling.signal])),
        ]);
        if (typeof ended !== "string" || signal.aborted) continue;
        printError(`fairlead: the operator ended (${ended})`);
        process.exitCode = 1;
        return;
      } finally {
        polling.abort();
        await operator.stop();
      }
    }
  });
}

async function start(
  { pod, args, token }: OperatorInstance,
  cluster: LocalCluster,
  folder: string,
): Promise<OperatorProcess> {
  const kubeconfig = join(folder, "kubeconfig");
  const certificate = await readServerCertificate(cluster.runDirectory);
  const access = { clusterName: cluster.name, server: cluster.server, certificate, user: "operator", token };
  await writeFile(kubeconfig, stringify(kubeconfigOf(access)), { mode: 0o600 });
  return startOperatorProcess({
    temporaryFolder: folder,
    // With these variables, the operator detects that it runs in a cluster, and in which pod.
    environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", POD_NAME: pod.metadata.name },
    args: [
      ...args,
      `--kubeconfig=${kubeconfig}`,
      `--repository-cache=${join(folder, "cache")}`,
      `--release-cache=${join(folder, "release-cache")}`,
      // The operator runs on the machine with the user's repositories.
      "--release-file-remotes=true",
      "--metrics-bind-address=0",
      "--health-probe-bind-address=0",
    ],
  });
}

async function untilReplaced(
  client: InstallClient,
  installation: Installation,
  { pod }: OperatorInstance,
  signal: AbortSignal,
): Promise<void> {
  // If the cluster is unavailable for a moment, wait for it, as the operator does.
  const isThere = () => isInUse(client, installation, pod).catch(() => true);
  while (!signal.aborted && (await isThere()))
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
}
