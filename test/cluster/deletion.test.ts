import { expect, test } from "vitest";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { readAuditLog } from "./audit-log.ts";
import { aSeparateCluster, eventually, kubectl, kubectlJson, readObject } from "./fixture.ts";
import { aHarness, applyResource, type Harness, untilCondition, untilGone, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { kubectlFor } from "./kubectl.ts";
import { startOperator } from "./operator.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { aRepository } from "./repository.ts";

const spec = { size: 1, image: "example.dev/web:1", ports: [{ port: 80 }] };
const type = groupKindOf(EasyService);

/** A Ready and published EasyService, Echo and PodSet, and an operator. */
async function threeResources(): Promise<Harness> {
  const harness = await aHarness();
  const { namespace } = harness;
  await harness.start();
  await applyResource(EasyService, namespace, spec);
  await applyResource(Echo, namespace, { name: "hello", message: "hi" });
  await applyResource(PodSet, namespace, { name: "set", size: 1 });
  await untilReady(EasyService, namespace);
  await untilReady(Echo, namespace, "hello");
  await untilReady(PodSet, namespace, "set");
  for (const [kind, name] of [
    [EasyService, "web"],
    [Echo, "hello"],
    [PodSet, "set"],
  ] as const) {
    await untilCondition(kind, namespace, { type: "Published", name });
  }
  return harness;
}

test.for(["background", "foreground"])(
  "a resource that is deleted in the %s is removed with its children and its folder, and the operator recreates nothing",
  async (how) => {
    const { namespace, repository, writes } = await threeResources();
    const since = new Date();
    await kubectl(["delete", type, "web", "-n", namespace, `--cascade=${how}`]);
    await untilGone("deployment", "web", namespace);
    await untilGone("service", "web", namespace);
    await eventually(async () => (await podsOf("web", namespace)).length === 0, { what: "no pod is left" });
    await eventually(() => repository.files(`${namespace}/${type}/`).length === 0, {
      what: "the folder is deleted",
    });

    await kubectl(["delete", groupKindOf(Echo), "hello", "-n", namespace, `--cascade=${how}`]);
    await untilGone("job", "hello", namespace);
    await eventually(async () => (await podsOf("hello", namespace)).length === 0, { what: "no pod is left" });

    // The others still exist, and nothing was written in the meantime, to any object.
    await untilReady(PodSet, namespace, "set");
    expect(await writes(since, isWrite)).toEqual([]);
    await eventually(() => repository.files().filter((path) => path.startsWith(namespace)).length === 1, {
      what: "only the PodSet is in git",
    });
  },
);

test("a resource deleted with --cascade=orphan leaves its children, and a recreated one adopts them", async () => {
  const { namespace, repository, writes } = await threeResources();
  const before = await readObject<Seen>("deployment", "web", namespace);
  const [pod] = await podsOf("web", namespace);
  const since = new Date();
  await kubectl(["delete", type, "web", "-n", namespace, "--cascade=orphan"]);
  await eventually(() => repository.files(`${namespace}/${type}/`).length === 0, {
    what: "the folder is deleted",
  });
  const left = await readObject<Seen>("deployment", "web", namespace);
  expect(left?.metadata.uid).toBe(before?.metadata.uid);
  expect(left?.metadata.ownerReferences).toBeUndefined();
  expect(await writes(since, isWrite)).toEqual([]);

  // The same resource again: it owns the children again, and nothing restarts.
  const { metadata } = await applyResource(EasyService, namespace, spec);
  await untilReady(EasyService, namespace);
  const again = await readObject<Seen>("deployment", "web", namespace);
  expect(again?.metadata.uid).toBe(before?.metadata.uid);
  expect(again?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
  expect((await podsOf("web", namespace)).map(({ metadata: { uid } }) => uid)).toEqual([pod?.metadata.uid]);
});

test("a namespace is deleted with all its content: at most one rejected write for each resource, if namespaces are not watched", async () => {
  const { namespace, repository, writes } = await threeResources();
  // The namespace itself stays until all deletions were observed: for a deleted one, a running write is not rejected.
  const finalizers = ["example.dev/held"];
  const held = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", namespace, finalizers } };
  await kubectl("apply -f -", { input: held });
  const since = new Date();
  await kubectl(["delete", "namespace", namespace, "--wait=false"]);
  await eventually(() => repository.files(namespace).length === 0, { what: "the folders are deleted" });
  await kubectl(["patch", "configmap", "held", "-n", namespace, "-p", '{"metadata":{"finalizers":null}}']);
  await kubectl(["wait", "namespace", namespace, "--for=delete", "--timeout=180s"]);
  // The status may still report the end of the pods, also when the resource is deleted in the meantime; nothing else is
  // written.
  const written = (await writes(since, isWrite)).filter((write) => !/status .* (200|404)$/.test(write));
  expect(written.filter((write) => !write.endsWith(" 403"))).toEqual([]);
  // Requests in progress when the first refusal reported it.
  expect(written.length).toBeLessThanOrEqual(3);
});

test("a namespace is deleted without errors if namespaces are watched, also when a finalizer blocks it for long", async () => {
  const cluster = await aSeparateCluster();
  const { kubectlPath = "kubectl" } = cluster;
  const admin = kubectlFor({ ...cluster, kubectlPath });
  await install({ ...cluster, kubectlPath });
  const repository = aRepository();
  await startOperator({ args: [...repository.args], kubeconfigPath: cluster.operatorKubeconfigPath });
  const resource = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", spec };
  for (const namespace of ["shop", "blog"]) {
    await admin(["create", "namespace", namespace]);
    await admin("apply -f -", { input: { ...resource, metadata: { name: "web", namespace } } });
    await admin(["wait", type, "web", "-n", namespace, "--for=condition=Published", "--timeout=180s"]);
    await admin(["wait", type, "web", "-n", namespace, "--for=condition=Ready", "--timeout=180s"]);
  }
  const held = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "held", namespace: "shop", finalizers: ["example.dev/held"] },
  };
  await admin("apply -f -", { input: held });
  // The resource itself also stays to the end: its children are deleted before it.
  await admin([
    "patch",
    type,
    "web",
    "-n",
    "shop",
    "--type=merge",
    "-p",
    '{"metadata":{"finalizers":["example.dev/held"]}}',
  ]);
  const since = new Date();
  await admin("delete namespace shop --wait=false");
  await eventually(async () => (await admin("get deployment,service,pod -n shop -o name")) === "", {
    what: "the children are deleted",
  });

  // Another one continues to work.
  await admin(["patch", type, "web", "-n", "blog", "--type=merge", "-p", '{"spec":{"size":2}}']);
  await admin([
    "wait",
    type,
    "web",
    "-n",
    "blog",
    "--for=jsonpath={.status.readyReplicas}=2",
    "--timeout=180s",
  ]);
  const release = '{"metadata":{"finalizers":null}}';
  await admin(["patch", type, "web", "-n", "shop", "--type=merge", "-p", release]);
  await admin(["patch", "configmap", "held", "-n", "shop", "--type=merge", "-p", release]);
  await admin("wait namespace/shop --for=delete --timeout=180s");
  await eventually(() => repository.files("shop/").length === 0, { what: "its folder is deleted" });
  const requests = await readAuditLog(cluster.auditLogPath, { user: "operator", namespace: "shop", since });
  expect(requests.filter(isWrite).map(lineOf)).toEqual([]);
});

interface Seen extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string };
}

async function podsOf(instance: string, namespace: string): Promise<Seen[]> {
  const selector = `app.kubernetes.io/instance=${instance}`;
  return (await kubectlJson<{ items: Seen[] }>(["get", "pods", "-n", namespace, "-l", selector])).items;
}
