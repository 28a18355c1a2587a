import { join } from "node:path";

/** The programs of a cluster, in the order in which they start. */
export const COMPONENT_NAMES = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
] as const;

export type ComponentName = (typeof COMPONENT_NAMES)[number];

export const PORT_NAMES = [
  "etcdClient",
  "etcdPeer",
  "apiServer",
  "controllerManager",
  "scheduler",
  "kwok",
] as const;

/** Loopback ports. */
export type Ports = Readonly<Record<(typeof PORT_NAMES)[number], number>>;

/** Data of a cluster for its programs. */
export interface ClusterLayout {
  readonly runDirectory: string;
  readonly ports: Ports;
  /** False trades durability for speed: tests only, never a benchmark. */
  readonly fsync: boolean;
  readonly stagesPath: string;
}

/** The controllers that built-in kinds need; no node-lifecycle-controller, because the nodes are simulated. */
const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "cronjob-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "ttl-after-finished-controller",
  // Fills the roles admin, edit and view, which are empty without it.
  "clusterrole-aggregation-controller",
];

const FILES = {
  kubeconfig: "kubeconfig",
  operatorKubeconfig: "kubeconfig-operator",
  driverKubeconfig: "kubeconfig-driver",
  etcdData: "etcd",
  certificates: "certificates",
  serviceAccountKey: "service-account.key",
  tokens: "tokens.csv",
  auditPolicy: "audit-policy.yaml",
  auditLog: "audit.log",
  record: "cluster.json",
} as const;

/** The path of one of the files in the run directory. Pure. */
export function runPath(runDirectory: string, file: keyof typeof FILES): string {
  return join(runDirectory, FILES[file]);
}

/** The arguments of one program. Pure. */
export function componentArguments(name: ComponentName, layout: ClusterLayout): string[] {
  switch (name) {
    case "etcd":
      return etcdArguments(layout);
    case "kube-apiserver":
      return apiServerArguments(layout);
    case "kube-controller-manager":
      return [
        ...clientArguments(layout, layout.ports.controllerManager),
        `--controllers=${CONTROLLERS.join(",")}`,
        "--concurrent-deployment-syncs=20",
      ];
    case "kube-scheduler":
      return clientArguments(layout, layout.ports.scheduler);
    case "kwok":
      return [
        `--kubeconfig=${runPath(layout.runDirectory, "kubeconfig")}`,
        "--manage-all-nodes=true",
        `--config=${layout.stagesPath}`,
        "--node-lease-duration-seconds=0",
        "--cidr=10.128.0.0/9",
        `--server-address=127.0.0.1:${layout.ports.kwok}`,
      ];
  }
}

function etcdArguments({ runDirectory, ports, fsync }: ClusterLayout): string[] {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    `--data-dir=${runPath(runDirectory, "etcdData")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    `--quota-backend-bytes=${8 * 1024 ** 3}`,
    "--log-level=warn",
    ...(fsync ? [] : ["--unsafe-no-fsync"]),
  ];
}

function apiServerArguments({ runDirectory, ports }: ClusterLayout): string[] {
  const key = runPath(runDirectory, "serviceAccountKey");
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcdClient}`,
    // It creates its own serving certificate in this folder.
    `--cert-dir=${runPath(runDirectory, "certificates")}`,
    `--secure-port=${ports.apiServer}`,
    "--bind-address=127.0.0.1",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    `--service-account-issuer=https://127.0.0.1:${ports.apiServer}/`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${runPath(runDirectory, "tokens")}`,
    "--endpoint-reconciler-type=none",
    `--audit-policy-file=${runPath(runDirectory, "auditPolicy")}`,
    `--audit-log-path=${runPath(runDirectory, "auditLog")}`,
    "--audit-log-maxsize=1024",
    "--audit-log-maxbackup=2",
    // These admission plugins need controllers that do not run here: nothing would create service accounts, or remove
    // the not-ready taint.
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
  ];
}

function clientArguments({ runDirectory }: ClusterLayout, port: number): string[] {
  return [
    `--kubeconfig=${runPath(runDirectory, "kubeconfig")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
  ];
}

/** Health endpoint of a program. Pure. */
export function healthUrl(name: ComponentName, { ports }: Pick<ClusterLayout, "ports">): string {
  switch (name) {
    case "etcd":
      return `http://127.0.0.1:${ports.etcdClient}/health`;
    case "kube-apiserver":
      return `https://127.0.0.1:${ports.apiServer}/readyz`;
    case "kube-controller-manager":
      return `https://127.0.0.1:${ports.controllerManager}/healthz`;
    case "kube-scheduler":
      return `https://127.0.0.1:${ports.scheduler}/healthz`;
    case "kwok":
      return `http://127.0.0.1:${ports.kwok}/healthz`;
  }
}
