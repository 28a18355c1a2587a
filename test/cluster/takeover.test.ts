import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { provideProgram } from "../../bench/rig/programs.ts";
import { isUsableGo, readGoVersion } from "../../cli/local-cluster/go.ts";
import { type LocalCluster, startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { type Fenced, type FencedPod, fence } from "./fenced.ts";
import { eventually } from "./fixture.ts";
import { install } from "./install.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type RunningOperator, startOperator } from "./operator.ts";
import { originals } from "./originals.ts";
import { aRepository } from "./repository.ts";
import type { SeenResource } from "./story.ts";

// The Go operator looks at all namespaces, so this file has a cluster of its own.
let cluster: LocalCluster;
let kubectl: Kubectl;
// Ours runs in a pod of its own namespace, with the fences of an installation around it.
let fenced: Fenced;
let pod: FencedPod;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  cluster = await startLocalCluster({ name: "takeover", fsync: false });
  const { kubectlPath = "kubectl" } = cluster;
  kubectl = kubectlFor({ ...cluster, kubectlPath });
  await install({ ...cluster, kubectlPath });
  const home = await aPlace("operator");
  fenced = await fence(home, {
    cluster: { ...cluster, kubectlPath },
    onEnd: (end) => void endings.push(end),
  });
  pod = await fenced.aPod("operator-1");
});

afterAll(async () => {
  for (const end of endings) await end();
  await cluster?.stop();
});

const goVersion = await readGoVersion(process.env);
const noGo = goVersion === undefined || !isUsableGo(goVersion);

/** Of the pod template: a rollout counts it up. (The generation counts annotations too, so ours as well.) */
const revision = "deployment.kubernetes.io/revision";

describe.skipIf(noGo)("the Go operator's PodSet (skipped where there is no Go 1.26 to build it)", () => {
  // Building takes minutes on a busy machine: not within the time of a test.
  beforeAll(() => provideGoOperator());

  test.for(["seed", "tuned"])(
    "is taken over as it is, with --mode=%s: no pod restarts, and edits work",
    async (mode) => {
      // Given a PodSet that the Go operator keeps, and a label of its own making
      const namespace = await aPlace(`go-${mode}`);
      const before = await startGoOperator(mode);
      const name = "web";
      const podSet = { apiVersion: apiVersionOf(PodSet), kind: PodSet.kind, metadata: { name, namespace } };
      await kubectl("apply -f -", { input: { ...podSet, spec: { size: 2 } } });
      await eventually(
        async () => {
          const { status } = await read<SeenResource>(groupKindOf(PodSet), name, namespace);
          const { status: live } = await read<Workload>("deployment", name, namespace);
          return ((status?.["nodes"] ?? []) as string[]).length === 2 && live.readyReplicas === 2;
        },
        { what: "the Go operator made two pods" },
      );
      await end(before);
      const label = '{"metadata":{"labels":{"old":"yes"}}}';
      const [manager = ""] = await managersOf(name, namespace);
      await kubectl([
        "patch",
        "deployment",
        name,
        "-n",
        namespace,
        `--field-manager=${manager}`,
        "-p",
        label,
      ]);
      const deployment = await read<Workload>("deployment", name, namespace);
      const pods = await podsIn(namespace);
      expect(pods).toHaveLength(2);

      // When Fairlead starts in its stead
      await startFairlead(namespace);

      // Then the same Deployment and pods are its own, with nobody's help
      await untilReady(PodSet, name, namespace);
      const taken = await read<Workload>("deployment", name, namespace);
      expect(taken.metadata).toMatchObject({
        uid: deployment.metadata.uid,
        annotations: { [revision]: deployment.metadata.annotations?.[revision] },
        labels: { "app.kubernetes.io/managed-by": "fairlead" },
      });
      expect(taken["spec"]).toEqual(deployment["spec"]);
      expect(await podsIn(namespace)).toEqual(pods);
      // what its maker alone had set is gone with it,
      expect(taken.metadata.labels).not.toHaveProperty("old");

      // and edits are followed.
      await kubectl("apply -f -", { input: { ...podSet, spec: { size: 3 } } });
      await eventually(async () => (await podsIn(namespace)).length === 3, { what: "three pods" });
      expect(await podsIn(namespace)).toEqual(expect.arrayContaining(pods));
      expect((await untilReady(PodSet, name, namespace)).status?.["nodes"]).toHaveLength(3);
    },
  );
});

test.for(originals)(
  "what the original $kind.kind operator made is adopted: same objects, no rollout",
  async ({ kind, spec, children }) => {
    const namespace = await aPlace(kind.singular);
    const resource = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: "web", namespace },
    };
    await kubectl("create -f -", { input: { ...resource, spec } });
    const { metadata: owner } = await read<SeenResource>(groupKindOf(kind), "web", namespace);
    const controller = { apiVersion: resource.apiVersion, kind: kind.kind, name: "web", uid: owner.uid };
    const ownerReferences = [{ ...controller, controller: true, blockOwnerDeletion: true }];
    for (const child of children) {
      const { metadata } = child;
      const input = { ...child, metadata: { ...metadata, namespace, ownerReferences } };
      await kubectl("create --field-manager=manager -f -", { input });
    }
    await eventually(
      async () => {
        const pods = await podsIn(namespace);
        const wanted = Number((spec as { size?: number }).size ?? (kind.kind === "Echo" ? 1 : 0));
        return pods.length === wanted;
      },
      { what: "its pods are there" },
    );
    const before = await Promise.all(
      children.map((child) => read<Workload>(child.kind, child.metadata.name, namespace)),
    );
    const pods = await podsIn(namespace);

    await startFairlead(namespace);
    await untilReady(kind, "web", namespace);
    for (const [index, child] of children.entries()) {
      const { metadata, ["spec"]: live } = await read<Workload>(child.kind, child.metadata.name, namespace);
      const was = before[index];
      expect(metadata.uid).toBe(was?.metadata.uid);
      expect(metadata.labels).toMatchObject({
        ...child.metadata.labels,
        "app.kubernetes.io/instance": "web",
      });
      // A CronJob's template gets our labels, for the Jobs to come; nothing runs because of it.
      if (child.kind !== "CronJob") expect(live).toEqual(was?.["spec"]);
    }
    expect(await podsIn(namespace)).toEqual(pods);
  },
);

interface Workload extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string };
  readonly status: { readonly readyReplicas?: number };
}

async function aPlace(prefix: string): Promise<string> {
  const namespace = `${prefix}-${crypto.randomUUID().slice(0, 8)}`;
  await kubectl(["create", "namespace", namespace]);
  return namespace;
}

async function read<Seen>(type: string, name: string, namespace: string): Promise<Seen> {
  return JSON.parse(await kubectl(["get", type, name, "-n", namespace, "-o", "json"])) as Seen;
}

/** Uid, node and starts of the pods of a namespace: another pod, or one that started again, shows. */
async function podsIn(namespace: string): Promise<string[]> {
  const path =
    "{range .items[*]}{.metadata.uid} {.spec.nodeName} {.status.containerStatuses[*].restartCount}\n{end}";
  const text = await kubectl(["get", "pods", "-n", namespace, "-o", `jsonpath=${path}`]);
  return text.trim().split("\n").filter(Boolean).toSorted();
}

async function managersOf(name: string, namespace: string): Promise<string[]> {
  const path = "{.metadata.managedFields[?(@.fieldsV1.f:spec)].manager}";
  const text = await kubectl([
    "get",
    "deployment",
    name,
    "-n",
    namespace,
    "--show-managed-fields",
    "-o",
    `jsonpath=${path}`,
  ]);
  return text.split(" ").filter((manager) => manager !== "kube-controller-manager");
}

function startFairlead(namespace: string): Promise<RunningOperator> {
  return startOperator({
    args: [`--namespace=${namespace}`, ...aRepository().args, ...fenced.args],
    kubeconfigPath: pod.kubeconfigPath,
    environment: pod.environment,
  });
}

function untilReady(kind: ObjectKind, name: string, namespace: string): Promise<SeenResource> {
  return eventually(
    async () => {
      const resource = await read<SeenResource>(groupKindOf(kind), name, namespace);
      const ready = resource.status?.conditions?.find(({ type }) => type === "Ready");
      const isReady = ready?.status === "True" && ready.observedGeneration === resource.metadata.generation;
      if (!isReady) throw new Error(JSON.stringify(resource.status));
      return resource;
    },
    { what: `${kind.kind} ${name} is Ready` },
  );
}

function provideGoOperator(): Promise<string> {
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  return provideProgram("podset-go", { env: process.env, report });
}

async function startGoOperator(mode: string): Promise<ChildProcess> {
  const program = await provideGoOperator();
  const options = [`--mode=${mode}`, `--kubeconfig=${cluster.kubeconfigPath}`, `--lease-name=podset-${mode}`];
  const child = spawn(program, [...options, "--metrics-bind-address=0"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
