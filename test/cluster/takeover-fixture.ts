import { startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { groupKindOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { eventually } from "./fixture.ts";
import type { TestCluster } from "./global-setup.ts";
import { hasCondition, type SeenResource } from "./harness.ts";
import { install } from "./install.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type RunningOperator, startOperator } from "./operator.ts";
import { aRepository } from "./repository.ts";

export interface Workload extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string };
  readonly status: { readonly readyReplicas?: number };
}

type Cleanup = () => Promise<void>;

/** A cluster with the operator in a pod of its own namespace. */
export class TakeoverFixture {
  readonly cluster: TestCluster;
  readonly kubectl: Kubectl;
  readonly #cleanups: Cleanup[];
  readonly #startArgs: readonly string[];
  readonly #pod: FencedPod;

  private constructor(
    cluster: TestCluster,
    kubectl: Kubectl,
    parts: {
      readonly cleanups: Cleanup[];
      readonly startArgs: readonly string[];
      readonly pod: FencedPod;
    },
  ) {
    this.cluster = cluster;
    this.kubectl = kubectl;
    this.#cleanups = parts.cleanups;
    this.#startArgs = parts.startArgs;
    this.#pod = parts.pod;
  }

  /** Creates the fixture on a separate cluster, for operators that watch all namespaces. */
  static async start(name: string): Promise<TakeoverFixture> {
    const { kubectlPath = "kubectl", stop, ...cluster } = await startLocalCluster({ name, fsync: false });
    const found = { ...cluster, kubectlPath };
    await install(found);
    return TakeoverFixture.on(found, stop);
  }

  /** Creates the fixture on a cluster with the shipped kinds. */
  static async on(cluster: TestCluster, onEnd?: Cleanup): Promise<TakeoverFixture> {
    const kubectl = kubectlFor(cluster);
    const cleanups: Cleanup[] = [];
    if (onEnd !== undefined) cleanups.push(onEnd);
    const namespace = await createNamespace(kubectl, "operator", cleanups);
    const fenced = await fence(namespace, { cluster, onEnd: (end) => void cleanups.push(end) });
    const pod = await fenced.aPod("operator-1");
    return new TakeoverFixture(cluster, kubectl, { cleanups, startArgs: fenced.args, pod });
  }

  async end(): Promise<void> {
    for (const cleanUp of this.#cleanups.toReversed()) await cleanUp();
  }

  /** Creates a namespace whose name begins with this prefix. */
  aNamespace(prefix: string): Promise<string> {
    return createNamespace(this.kubectl, prefix, this.#cleanups);
  }

  async read<Seen>(type: string, name: string, namespace: string): Promise<Seen> {
    return JSON.parse(await this.kubectl(["get", type, name, "-n", namespace, "-o", "json"])) as Seen;
  }

  /** Uid, node and restarts of the pods of a namespace, to detect replaced or restarted ones. */
  async podsIn(namespace: string): Promise<string[]> {
    const path =
      "{range .items[*]}{.metadata.uid} {.spec.nodeName} {.status.containerStatuses[*].restartCount}\n{end}";
    const text = await this.kubectl(["get", "pods", "-n", namespace, "-o", `jsonpath=${path}`]);
    return text.trim().split("\n").filter(Boolean).toSorted();
  }

  async managersOf(name: string, namespace: string): Promise<string[]> {
    const path = "{.metadata.managedFields[?(@.fieldsV1.f:spec)].manager}";
    const place = ["deployment", name, "-n", namespace, "--show-managed-fields"];
    const text = await this.kubectl(["get", ...place, "-o", `jsonpath=${path}`]);
    return text.split(" ").filter((manager) => manager !== "kube-controller-manager");
  }

  startFairlead(namespace: string): Promise<RunningOperator> {
    return startOperator({
      args: [`--namespace=${namespace}`, ...aRepository().args, ...this.#startArgs],
      kubeconfigPath: this.#pod.kubeconfigPath,
      environment: this.#pod.environment,
    });
  }

  untilReady(kind: ObjectKind, name: string, namespace: string): Promise<SeenResource> {
    return eventually(
      async () => {
        const resource = await this.read<SeenResource>(groupKindOf(kind), name, namespace);
        if (!hasCondition(resource)) throw new Error(JSON.stringify(resource.status));
        return resource;
      },
      { what: `${kind.kind} ${name} is Ready` },
    );
  }
}

async function createNamespace(kubectl: Kubectl, prefix: string, cleanups: Cleanup[]): Promise<string> {
  const namespace = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
  await kubectl(["create", "namespace", namespace]);
  cleanups.push(async () => void (await kubectl(["delete", "namespace", namespace, "--wait=false"])));
  return namespace;
}
