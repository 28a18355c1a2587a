import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Chart } from "cdk8s";
import { onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { shippedKinds } from "../../charts/bindings-delivery.ts";
import {
  type FencedInstallation,
  fenceNamesOf,
  fenceRulesOf,
  WriteFences,
} from "../../constructs/write-fences.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { type AuditEvent, readAuditLog } from "./audit-log.ts";
import { eventually, testCluster } from "./fixture.ts";
import type { TestCluster } from "./global-setup.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";

/** An instance of a fenced operator: the settings of one of its pods. */
export interface FencedPod {
  readonly name: string;
  /** Kubeconfig with a token of the operator's ServiceAccount that contains the pod. */
  readonly kubeconfigPath: string;
  /** Environment with which the operator acts as this pod. */
  readonly environment: NodeJS.ProcessEnv;
  /** The requests of this pod to the API server, since a time (default: all). */
  requests(since?: Date): Promise<AuditEvent[]>;
}

/** An operator's ServiceAccount with the fences of `fairlead install`, in one namespace. */
export interface Fenced {
  /** Leader election, and the names of the fences. */
  readonly args: readonly string[];
  /** User name of the ServiceAccount. */
  readonly user: string;
  /** Creates a pod of the operator. */
  aPod(name: string): Promise<FencedPod>;
}

export interface FencedOptions {
  readonly cluster?: TestCluster;
  /** The kinds of the operator. Default: the shipped kinds. */
  readonly kinds?: readonly BoundKind[];
  /** Option of `install()`: the name of its roles. Default: `fairlead`. */
  readonly rights?: string;
  readonly policies?: FencedInstallation["policies"];
  /** Default: there are none. */
  readonly releases?: FencedInstallation["releases"];
  /** Default: all. */
  readonly watchedNamespaces?: FencedInstallation["watchedNamespaces"];
  /** When the fences are removed. Default: after the test. */
  readonly onEnd?: (remove: () => Promise<void>) => void;
}

const rbac = "rbac.authorization.k8s.io";
const name = "operator";

/** Fences an operator in a namespace, and waits until the fences are in force. */
export async function fence(namespace: string, options: FencedOptions = {}): Promise<Fenced> {
  const { cluster = testCluster(), kinds = shippedKinds, rights = "fairlead" } = options;
  const { policies = { ownership: true, leadership: true }, releases, onEnd = onTestFinished } = options;
  const { watchedNamespaces } = options;
  const kubectl = kubectlFor(cluster);
  const installation: FencedInstallation = {
    name,
    namespace,
    ha: true,
    policies,
    releases,
    watchedNamespaces,
  };
  const user = `system:serviceaccount:${namespace}:${name}`;
  const app = new App();
  const chart = new Chart(app, "fences");
  new WriteFences(chart, "fences", { ...installation, kinds });
  const roles = [rights, `${rights}-leases`, `${namespace}-fences`];
  const objects = [
    ...chart.toJson(),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    aLease(namespace),
    { ...aRole("ClusterRole", `${namespace}-fences`), rules: fenceRulesOf(installation) },
    ...roles.map((role) => ({
      ...aRole("ClusterRoleBinding", `${namespace}-${role}`),
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    })),
  ];
  const folder = mkdtempSync(join(tmpdir(), "fairlead-fenced-"));
  onEnd(async () => {
    rmSync(folder, { recursive: true, force: true });
    const left = objects.filter(({ metadata }) => metadata.namespace === undefined);
    await kubectl("delete --ignore-not-found --wait=false -f -", { input: left }).catch(() => undefined);
  });
  await kubectl("apply --server-side --force-conflicts --field-manager=install -f -", { input: objects });
  await untilInForce(namespace, { user, kinds, policies, kubectl });
  const election = ["--leader-elect", `--leader-elect-id=${name}`, `--leader-elect-namespace=${namespace}`];
  return {
    user,
    args: [...election, ...fenceNamesOf(installation).map((fence) => `--fence=${fence}`)],
    aPod: (pod) => aPod(pod, { namespace, user, cluster, kubectl, folder }),
  };
}

/** The Lease of a holder that does not exist, to verify that the fences are in force. */
const prober = "prober";

function aLease(namespace: string) {
  const spec = { holderIdentity: prober, leaseDurationSeconds: 1 };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec };
}

function aRole(kind: string, of: string) {
  return { apiVersion: `${rbac}/v1`, kind, metadata: { name: of, namespace: undefined } };
}

interface InForceOptions {
  readonly user: string;
  readonly kinds: readonly BoundKind[];
  readonly policies: FencedInstallation["policies"];
  readonly kubectl: Kubectl;
}

/** How to create an object of a child kind, by its plural. */
const probes = {
  configmaps: ["configmap", "probe"],
  services: ["service", "clusterip", "probe", "--tcp=80"],
  jobs: ["job", "probe", "--image=busybox"],
};

/** Waits until the API server applies the policies, a second or two after their creation: sends requests that must be rejected. */
async function untilInForce(
  namespace: string,
  { user, kinds, policies, kubectl }: InForceOptions,
): Promise<void> {
  const children = new Set(kinds.flatMap((kind) => kind.children.map(({ plural }) => plural)));
  const probe = Object.entries(probes).find(([plural]) => children.has(plural))?.[1] ?? probes.services;
  const [type = ""] = probe;
  const asOperator = [`--as=${user}`, "-n", namespace, "--dry-run=server"];
  const refuses = async (args: readonly string[], why: RegExp): Promise<boolean> => {
    const answer = await kubectl([...args, ...asOperator]).catch((error: unknown) => String(error));
    if (!why.test(answer)) throw new Error(answer);
    return true;
  };
  if (policies.leadership) {
    const check = () => refuses(["create", ...probe], /lease is held by prober/);
    await eventually(check, { what: "the leadership fence is in force" });
  }
  if (policies.ownership) {
    await kubectl(["create", ...probe, "-n", namespace]);
    const asHolder = `--as-user-extra=authentication.kubernetes.io/pod-name=${prober}`;
    const check = () => refuses(["delete", type, "probe", asHolder], /leaves alone what belongs to/);
    await eventually(check, { what: "the ownership fence is in force" });
    await kubectl(["delete", type, "probe", "-n", namespace, "--wait=false"]);
  }
  const free = '{"spec":{"holderIdentity":""}}';
  await kubectl(["patch", "lease", name, "-n", namespace, "--type=merge", "-p", free]);
}

interface PodOptions {
  readonly namespace: string;
  readonly user: string;
  readonly cluster: TestCluster;
  readonly kubectl: Kubectl;
  /** For credentials. */
  readonly folder: string;
}

async function aPod(
  pod: string,
  { namespace, user, cluster, kubectl, folder }: PodOptions,
): Promise<FencedPod> {
  const made = new Date();
  const spec = {
    serviceAccountName: name,
    containers: [{ name: "operator", image: "example.dev/operator" }],
  };
  const input = { apiVersion: "v1", kind: "Pod", metadata: { name: pod, namespace }, spec };
  await kubectl("create -f -", { input });
  const bound = ["--bound-object-kind=Pod", `--bound-object-name=${pod}`];
  const token = (await kubectl(["create", "token", name, "-n", namespace, "--duration=2h", ...bound])).trim();
  const config = parse(readFileSync(cluster.operatorKubeconfigPath, "utf8"));
  config.users[0].user = { token };
  const kubeconfigPath = join(folder, pod);
  writeFileSync(kubeconfigPath, stringify(config), { mode: 0o600 });
  return {
    name: pod,
    kubeconfigPath,
    environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", POD_NAME: pod },
    requests: async (since = made) => {
      const events = await readAuditLog(cluster.auditLogPath, { user, since });
      return events.filter((event) => podOf(event) === pod);
    },
  };
}

/** The pod that sent a request, from its token. */
function podOf({ user }: AuditEvent): string | undefined {
  return user.extra?.["authentication.kubernetes.io/pod-name"]?.[0];
}
