import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requireClusterRecord } from "../../../cli/local-cluster/cluster-record.ts";
import { readServerCertificate, readToken } from "../../../cli/local-cluster/credentials.ts";
import { type LocalCluster, startLocalCluster } from "../../../cli/local-cluster/local-cluster.ts";
import { sendLoopback } from "../../../cli/local-cluster/loopback-request.ts";

export interface StartControlPlaneOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** The driver's names for the programs whose CPU time it measures. */
const pidFiles = {
  etcd: "etcd",
  "kube-apiserver": "apiserver",
  "kube-controller-manager": "kcm",
  "kube-scheduler": "sched",
  kwok: "kwok",
} as const;

/**
 * Starts a new control plane, with fsync. The driver reads its run directory: kubeconfigs and audit log have the expected names,
 * and pid files are added. The user `operator` has all permissions.
 */
export async function startControlPlane(options: StartControlPlaneOptions): Promise<LocalCluster> {
  const cluster = await startLocalCluster({ name: "bench", fsync: true, ...options });
  try {
    const { processes } = requireClusterRecord(cluster.runDirectory);
    for (const [component, file] of Object.entries(pidFiles) as [keyof typeof pidFiles, string][]) {
      const pid = processes[component]?.pid;
      if (pid !== undefined) await writeFile(join(cluster.runDirectory, `${file}.pid`), String(pid));
    }
    await bindOperator(cluster);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function bindOperator({ server, runDirectory }: LocalCluster): Promise<void> {
  const url = `${server}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`;
  const { status, text } = await sendLoopback(url, {
    method: "POST",
    token: await readToken(runDirectory, "admin"),
    certificate: await readServerCertificate(runDirectory),
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "bench-operators" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "fairlead-operators" }],
    },
  });
  if (status !== 201) throw new Error(`Cannot grant the operator its permissions: ${status} ${text}`);
}
