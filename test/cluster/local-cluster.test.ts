import { expect, test } from "vitest";
import { aNamespace, applyObjects, eventually, kubectl, readObject } from "./fixture.ts";

interface WithStatus {
  readonly metadata: { readonly uid: string };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly succeeded?: number;
    readonly failed?: number;
  };
}

const aPod = (name: string, labels: object = {}, spec: object = {}) => ({
  metadata: { labels: { app: name, ...labels } },
  spec: { containers: [{ name: "main", image: "example" }], ...spec },
});

const aDeployment = (namespace: string, name: string, { replicas = 1, labels = {} } = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: aPod(name, labels) },
});

const aJob = (namespace: string, name: string, labels: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace },
  spec: { backoffLimit: 0, template: aPod(name, labels, { restartPolicy: "Never" }) },
});

test("a Deployment of 3 becomes Ready, and one that is never ready does not", async () => {
  const namespace = await aNamespace();
  const labels = { "fairlead.dev/simulate": "never-ready" };
  await applyObjects(
    aDeployment(namespace, "web", { replicas: 3 }),
    aDeployment(namespace, "broken", { replicas: 1, labels }),
  );

  const isReady = async () =>
    (await readObject<WithStatus>("deployment", "web", namespace))?.status?.readyReplicas === 3;
  await eventually(isReady, { what: "3 replicas are ready" });
  expect(
    (await readObject<WithStatus>("deployment", "broken", namespace))?.status?.readyReplicas,
  ).toBeUndefined();
  const pods = await kubectl([
    "get",
    "pods",
    "-n",
    namespace,
    "-l",
    "app=broken",
    "-o",
    "jsonpath={.items[*].status.phase}",
  ]);
  expect(pods).toBe("Running");
});

test("a Job completes, and one that exits with 1 fails", async () => {
  const namespace = await aNamespace();
  await applyObjects(
    aJob(namespace, "good", {}),
    aJob(namespace, "bad", { "fairlead.dev/simulate": "exit-1" }),
  );

  const read = async (name: string) => (await readObject<WithStatus>("job", name, namespace))?.status;
  await eventually(async () => (await read("good"))?.succeeded === 1, { what: "the good Job succeeds" });
  await eventually(async () => (await read("bad"))?.failed === 1, { what: "the bad Job fails" });
});

test("an object is deleted with its owner", async () => {
  const namespace = await aNamespace();
  const aConfigMap = (name: string, metadata: object = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ...metadata },
  });
  await applyObjects(aConfigMap("owner"));
  const uid = (await readObject<WithStatus>("configmap", "owner", namespace))?.metadata.uid;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await applyObjects(aConfigMap("child", { ownerReferences }), aConfigMap("other"));

  await kubectl(`delete configmap owner -n ${namespace}`);

  const isGone = async () => (await readObject("configmap", "child", namespace)) === undefined;
  await eventually(isGone, { what: "the child is garbage-collected" });
  expect(await readObject("configmap", "other", namespace)).toBeDefined();
});
