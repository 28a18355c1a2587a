import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../../test/cluster/eventually.ts";
import { OPERATOR_IMAGE } from "./images.ts";
import { network, pathOf } from "./node/layout.ts";
import { SSH_USER } from "./node/ssh-server.ts";
import type { Stack } from "./stack.ts";

export const OPERATOR = { name: "fairlead", namespace: "fairlead-system" } as const;
/** The first and the second repository to which the operator publishes. Each has a Secret of that name with its credentials. */
const repositories = {
  https: { url: `https://${network.address}:${network.gitPort}/manifests.git`, credentialsSecret: "https" },
  ssh: { url: `${SSH_USER}@${network.address}:moved.git`, credentialsSecret: "ssh" },
} as const;

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Times for the election. They are short, because the failover test waits for them, but long enough for a busy machine. */
const leaderElection = { leaseDuration: "10s", renewDeadline: "8s", retryPeriod: "1s" };

/** The namespace. It is created before the installation, because the pods need the Secret at their start. */
const namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: OPERATOR.namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
};

/** Creates the Secrets with the credentials of the repositories, like an administrator. */
export async function createSecrets({ kubectl, runDirectory }: Stack): Promise<void> {
  await kubectl("apply -f -", { input: JSON.stringify(namespace) });
  const create = (name: string, ...content: readonly string[]) =>
    kubectl(["create", "secret", "generic", name, "-n", OPERATOR.namespace, ...content]);
  await create(
    "https",
    "--from-literal=username=operator",
    `--from-file=password=${pathOf(runDirectory, "gitPassword")}`,
    `--from-file=ca.crt=${pathOf(runDirectory, "gitCertificate")}`,
  );
  const file = (name: string) => `--from-file=${name}=${join(pathOf(runDirectory, "ssh"), name)}`;
  await create("ssh", file("identity"), file("known_hosts"));
}

export interface InstallOptions {
  readonly repository: keyof typeof repositories;
  readonly image?: string;
  /** Additional values for Releases. */
  readonly releases?: object;
}

/** Runs `fairlead install`, and returns its output. */
export async function installOperator(
  stack: Stack,
  { repository, image = OPERATOR_IMAGE, releases = {} }: InstallOptions,
): Promise<string> {
  const values = join(stack.runDirectory, "values.json");
  await writeFile(
    values,
    JSON.stringify({
      image,
      // Only the node has the image, not a registry.
      imagePullPolicy: "Never",
      leaderElection,
      releases,
      samples: { enabled: true },
      repository: repositories[repository],
    }),
  );
  return await installWith(stack, ["--values", values]);
}

/** Runs `fairlead install` with these options, and returns its output. */
export async function installWith(stack: Stack, options: readonly string[]): Promise<string> {
  const fairlead = join(root, "cli/fairlead.js");
  const kubeconfig = `--kubeconfig=${pathOf(stack.runDirectory, "kubeconfig")}`;
  const install = [process.execPath, fairlead, "install", kubeconfig, ...options, "--timeout=300s"];
  try {
    return await stack.run(install, { timeoutMs: 360_000 });
  } catch (error) {
    const logs = ["logs", `deployment/${OPERATOR.name}`, "-n", OPERATOR.namespace, "--tail=20"];
    const words = await stack.kubectl(logs).catch(String);
    throw new Error(`${(error as { stderr?: string }).stderr}\nThe operator's log:\n${words}`, {
      cause: error,
    });
  }
}

/** The name of the leading pod. */
export async function leaderOf(stack: Stack): Promise<string> {
  const { name, namespace } = OPERATOR;
  return stack.kubectl(["get", "lease", name, "-n", namespace, "-o", "jsonpath={.spec.holderIdentity}"]);
}

/**
 * Waits until no pod of a previous installation exists, because one of them may lead.
 *
 * @returns The name of the leading pod, and the address of the other one.
 */
export async function untilReplaced(
  stack: Stack,
): Promise<{ readonly leader: string; readonly otherPod: string }> {
  return await eventually(
    async () => {
      const pods = await podsOf(stack, "app.kubernetes.io/name=fairlead", OPERATOR.namespace);
      const leader = await leaderOf(stack);
      const otherPod = pods.find(({ name }) => name !== leader)?.address ?? "";
      const isComplete = otherPod !== "" && pods.some(({ name }) => name === leader);
      return isComplete && !pods.some(({ isLeaving }) => isLeaving) && { leader, otherPod };
    },
    { what: "a pod of this installation leads, and another one waits" },
  );
}

/** Runs git in a repository on the git host. */
export async function gitOnHost(
  { runDirectory }: Stack,
  args: readonly string[],
  name: "manifests.git" | "moved.git" = "manifests.git",
): Promise<string> {
  const repository = join(pathOf(runDirectory, "gitRoot"), name);
  return (await promisify(execFile)("git", [`--git-dir=${repository}`, ...args])).stdout;
}

/** The operator's requests to the API server. */
export async function operatorRequests({ runDirectory }: Stack): Promise<readonly AuditEvent[]> {
  const user = `system:serviceaccount:${OPERATOR.namespace}:${OPERATOR.name}`;
  const text = await readFile(pathOf(runDirectory, "auditLog"), "utf8");
  return text
    .split("\n")
    .filter((line) => line.includes(user) && line.endsWith("}"))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => event.user?.username === user);
}

export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Reads the pods that a label selector matches: name, address, phase. */
export async function podsOf(stack: Stack, selector: string, namespace = "default"): Promise<readonly Pod[]> {
  const list = JSON.parse(
    await stack.kubectl(["get", "pods", "-n", namespace, "-l", selector, "-o", "json"]),
  ) as {
    items: {
      metadata: { name: string; deletionTimestamp?: string };
      status: { podIP?: string; phase?: string };
    }[];
  };
  return list.items.map(({ metadata, status }) => ({
    name: metadata.name,
    address: status.podIP ?? "",
    phase: status.phase ?? "",
    isLeaving: metadata.deletionTimestamp !== undefined,
  }));
}

export interface Pod {
  readonly name: string;
  readonly address: string;
  readonly phase: string;
  /** Whether it is being deleted. */
  readonly isLeaving: boolean;
}
