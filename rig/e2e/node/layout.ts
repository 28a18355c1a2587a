import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The facts that the programs of an end-to-end run need; `plan.json` in the run directory. */
export interface Plan {
  readonly runDirectory: string;
  /** Programs of Kubernetes by name: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kubelet. */
  readonly binaries: Readonly<Record<string, string>>;
  /** Folder with the unpacked Debian packages. */
  readonly debianRoot: string;
  /** Folders that the node packs into docker-archives and imports. */
  readonly images: readonly string[];
  /** Folders of the run's cgroups. */
  readonly cgroups: readonly string[];
}

/** Addresses in the run's network namespace, which has no connection to other networks. */
export const network = {
  bridge: "fairlead0",
  address: "10.88.0.1",
  prefixLength: 16,
  subnet: "10.88.0.0/16",
  /** The address of the Service `kubernetes.default`. It is assigned to the loopback link, because there is no kube-proxy. */
  serviceAddress: "10.0.0.1",
  gitPort: 8443,
} as const;

export const NODE_NAME = "node-1";
export const CONTAINERD_SOCKET = "/run/containerd/containerd.sock";

const FILES = {
  plan: "plan.json",
  /** The processes that own the run. */
  owners: "owners.json",
  supervisorLog: "supervisor.log",
  /** Process id of the node's first process on the machine. */
  pid: "pid",
  /** Written when all programs are ready. */
  ready: "ready",
  /** Written after a failure, with the reason. */
  failed: "failed",
  kubeconfig: "kubeconfig",
  nodeKubeconfig: "kubeconfig-node",
  tokens: "tokens.csv",
  serviceAccountKey: "service-account.key",
  certificates: "certificates",
  clientCertificate: "kubelet-client.crt",
  clientKey: "kubelet-client.key",
  auditPolicy: "audit-policy.json",
  auditLog: "audit.log",
  kubeletConfig: "kubelet.json",
  containerdConfig: "containerd.toml",
  cni: "cni",
  registry: "registry",
  varLib: "var-lib",
  varLog: "var-log",
  gitRoot: "git",
  gitCertificate: "git.crt",
  gitKey: "git.key",
  gitPassword: "git.password",
  ssh: "ssh",
} as const;

/** The path of one of the files in the run directory. Pure. */
export function pathOf(runDirectory: string, file: keyof typeof FILES): string {
  return join(runDirectory, FILES[file]);
}

export function readPlan(runDirectory: string): Plan {
  return JSON.parse(readFileSync(pathOf(runDirectory, "plan"), "utf8")) as Plan;
}

/** Folders of the libraries of the unpacked packages. Pure. */
export function libraryPath({ debianRoot }: Pick<Plan, "debianRoot">): string {
  const multiarch = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return [`${debianRoot}/usr/lib/${multiarch}`, `${debianRoot}/lib/${multiarch}`].join(":");
}

/** Folders of the programs of the unpacked packages. Pure. */
export function searchPath({ debianRoot }: Pick<Plan, "debianRoot">): string {
  return ["usr/bin", "usr/sbin", "bin"].map((folder) => join(debianRoot, folder)).join(":");
}
