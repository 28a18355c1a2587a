import { expect, test } from "vitest";
import type { Condition } from "../../crds/conditions.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { Memcached } from "../../crds/memcached.ts";
import { groupKindOf, type KubernetesObject } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";
import { eventually, kubectl, kubectlJson, readObject } from "./fixture.ts";
import {
  aHarness,
  applyResource,
  conditionOf,
  seen,
  untilCondition,
  untilEvents,
  untilGone,
  untilReady,
} from "./harness.ts";
import { someResources } from "./manual-edits.ts";
import { isWrite } from "./operator-user.ts";

// Guarantees of the operators in reference/operators.md, kept and broken ones.

interface Workload extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: { readonly containers: readonly Readonly<Record<string, unknown>>[] };
    };
  };
  readonly status: Readonly<Record<string, unknown>> & {
    readonly conditions: readonly Condition[];
  };
}

/** One of the first 86 ports, which the server does not assign automatically to concurrent tests. */
const nodePort = (): number => 30_000 + Math.floor(Math.random() * 85);

test("a label on a ScheduledEcho does not change its CronJob; a new schedule does, and the CronJob is not replaced", async () => {
  const { namespace, start, writes } = await aHarness();
  await start();
  const spec = { message: "hi", schedule: "0 0 1 1 *" };
  await applyResource(ScheduledEcho, namespace, spec);
  await untilReady(ScheduledEcho, namespace);
  const before = await readObject<Workload>("cronjob", "web", namespace);

  const since = new Date();
  await kubectl(["label", groupKindOf(ScheduledEcho), "web", "-n", namespace, "team=a"]);
  // The queue is processed in order: when the other one is Ready, this one was reconciled.
  await applyResource(ScheduledEcho, namespace, { name: "other", ...spec });
  await untilReady(ScheduledEcho, namespace, "other");
  expect(await readObject<Workload>("cronjob", "web", namespace)).toEqual(before);
  expect(await writes(since)).not.toContain("patch cronjobs web 200");

  await applyResource(ScheduledEcho, namespace, { ...spec, message: "new", schedule: "@hourly" });
  await untilReady(ScheduledEcho, namespace);
  const after = await readObject<Workload>("cronjob", "web", namespace);
  expect(after?.spec).toMatchObject({ schedule: "@hourly" });
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
});

test("a new message runs a new Job instead of the old one, whose pod is deleted", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const uids = new Set<string>();
  for (const message of ["one", "two"]) {
    await applyResource(Echo, namespace, { message });
    const { status } = await untilReady(Echo, namespace);
    expect(status?.["completionTime"]).toBeDefined();
    uids.add((await readObject<Workload>("job", "web", namespace))?.metadata.uid ?? "");
    await eventually(async () => (await podNames(namespace)).length === 1, { what: "one pod" });
  }
  expect(uids.size).toBe(2);
});

test("a Memcached reverts kubectl scale, and its nodes are the names of its pods", async () => {
  const { namespace, start } = await aHarness();
  await start();
  await applyResource(Memcached, namespace, { size: 2 });
  const { status } = await untilReady(Memcached, namespace);
  expect(status?.["nodes"]).toHaveLength(2);
  expect(status?.["nodes"]).toEqual(await podNames(namespace));

  await kubectl(["scale", "deployment", "web-deployment", "-n", namespace, "--replicas=1"]);
  await eventually(
    async () => {
      const live = await readObject<Workload>("deployment", "web-deployment", namespace);
      return live?.spec.replicas === 2 && live.status["readyReplicas"] === 2;
    },
    { what: "two replicas again" },
  );
  await eventually(
    async () => {
      const { status: now } = await seen(Memcached, namespace);
      expect(now?.["nodes"]).toEqual(await podNames(namespace));
      return true;
    },
    { what: "the status names the existing pods" },
  );
});

test("a PodSet's nodes follow a pod that is deleted, and are an empty list at size 0", async () => {
  const { namespace, start } = await aHarness();
  await start();
  await applyResource(PodSet, namespace, { size: 2 });
  const { status } = await untilReady(PodSet, namespace);
  const [gone = ""] = (status?.["nodes"] ?? []) as string[];
  await kubectl(["delete", "pod", gone, "-n", namespace]);
  await eventually(
    async () => {
      const nodes = (await seen(PodSet, namespace)).status?.["nodes"] as string[];
      return nodes.length === 2 && !nodes.includes(gone);
    },
    { what: "the replacement instead of the old pod" },
  );
  await applyResource(PodSet, namespace, { size: 0 });
  await untilReady(PodSet, namespace);
  // The pods are deleted a moment after the Deployment is scaled down.
  const isEmpty = async () => `${(await seen(PodSet, namespace)).status?.["nodes"]}` === "";
  await eventually(isEmpty, { what: "no nodes" });
});

test("an EasyService is changed from A to B and back to A, and shows its Deployment's status", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const spec = { size: 1, ports: [{ port: 80, nodePort: nodePort() }] };
  const clusterIps: unknown[] = [];
  for (const image of ["example.dev/a:1", "example.dev/b:1", "example.dev/a:1"]) {
    await applyResource(EasyService, namespace, { ...spec, image });
    const resource = await untilReady(EasyService, namespace);
    const { status, metadata } = resource;
    const deployment = await readObject<Workload>("deployment", "web", namespace);
    expect(deployment?.spec.template.spec.containers[0]).toMatchObject({ image });
    for (const counter of ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"]) {
      expect(status?.[counter]).toBe(deployment?.status[counter]);
    }
    expect(status?.observedGeneration).toBe(metadata.generation);
    for (const { type, reason, message } of deployment?.status.conditions ?? []) {
      expect(conditionOf(resource, type)).toMatchObject({ reason, message });
    }
    expect(metadata.annotations ?? {}).not.toHaveProperty("spec");
    clusterIps.push((await readObject("service", "web", namespace))?.["spec"]);
  }
  // The second edit restored the first Service, with its address and node port.
  expect(clusterIps[2]).toEqual(clusterIps[0]);
});

test("an EasyService has a Service only while it has ports, and a named target port is the container's", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const spec = { size: 1, image: "example.dev/a:1" };
  await applyResource(EasyService, namespace, spec);
  await untilReady(EasyService, namespace);
  expect(await readObject("service", "web", namespace)).toBeUndefined();

  await applyResource(EasyService, namespace, { ...spec, ports: [{ port: 8080, targetPort: "http" }] });
  await untilReady(EasyService, namespace);
  const service = await readObject("service", "web", namespace);
  expect(service?.["spec"]).toMatchObject({ type: "NodePort", ports: [{ port: 8080, targetPort: "http" }] });
  const deployment = await readObject<Workload>("deployment", "web", namespace);
  expect(deployment?.spec.template.spec.containers).toMatchObject([
    { ports: [{ name: "http", containerPort: 8080 }] },
  ]);

  await applyResource(EasyService, namespace, spec);
  await untilGone("service", "web", namespace);
  const without = await untilReady(EasyService, namespace);
  expect(conditionOf(without, "Stalled")).toBeUndefined();
  expect((await readObject<Workload>("deployment", "web", namespace))?.metadata.uid).toBe(
    deployment?.metadata.uid,
  );
});

test("a node port that is in use is reported, with what to do, and used when it becomes free", async () => {
  const { namespace, start, writes } = await aHarness();
  await start();
  const taken = nodePort();
  const on = (port: number) => ({ size: 1, image: "example.dev/a:1", ports: [{ port: 80, nodePort: port }] });
  await applyResource(EasyService, namespace, { name: "first", ...on(taken) });
  await untilReady(EasyService, namespace, "first");
  await applyResource(EasyService, namespace, { name: "second", ...on(taken) });
  const refused = await untilCondition(EasyService, namespace, {
    name: "second",
    type: "Applied",
    status: "False",
    reason: "ApplyRejected",
  });
  const why = conditionOf(refused, "Applied")?.message;
  expect(why).toContain(`Service ${namespace}/second: spec.ports[0].nodePort`);
  expect(why).toContain("already allocated. Choose another one, or free it");
  const [event] = await untilEvents(namespace, "EasyService", "second");
  expect(event).toMatchObject({ type: "Warning", reason: "ApplyRejected", note: why });
  // Not by a deletion: the garbage collector pauses while tests install kinds.
  await applyResource(EasyService, namespace, { name: "first", ...on(taken + 1) });
  await untilReady(EasyService, namespace, "second");
  expect(await writes()).toContain("patch services second 201");
});

const longName = `${"long-".repeat(20)}name`;

test.for(["1.dotted.name", longName])(
  "a resource may be called %s: its children have valid names",
  async (end) => {
    const { namespace, start } = await aHarness();
    await start();
    // The Deployments of two of the kinds would have the same name.
    const named = someResources().map((resource, index) => ({ ...resource, name: `${index}${end}` }));
    for (const { kind, name, spec } of named) await applyResource(kind, namespace, { name, ...spec });
    const owners = await Promise.all(named.map(({ kind, name }) => untilReady(kind, namespace, name)));
    const types = "job,cronjob,deployment,service";
    const { items } = await kubectlJson<{ items: KubernetesObject[] }>(["get", types, "-n", namespace]);
    const owned = Map.groupBy(items, ({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners.map(({ metadata }) => owned.get(metadata.uid)?.length)).toEqual([1, 1, 1, 1, 2]);
  },
);

test("without changes nothing is written, and no permission was missing", async () => {
  const { namespace, start, user, writes } = await aHarness();
  await start();
  await applyResource(Echo, namespace, { message: "hi" });
  await applyResource(ScheduledEcho, namespace, { message: "hi", schedule: "0 0 1 1 *" });
  await applyResource(Memcached, namespace, { size: 2 });
  await applyResource(PodSet, namespace, { name: "set", size: 2 });
  await applyResource(EasyService, namespace, { size: 2, image: "example.dev/a:1", ports: [{ port: 80 }] });
  const all = [Echo, ScheduledEcho, Memcached, EasyService];
  for (const kind of all) await untilReady(kind, namespace);
  await untilReady(PodSet, namespace, "set");
  for (const kind of all) await untilCondition(kind, namespace, { type: "Published" });

  const since = new Date();
  const before = await Promise.all(all.map((kind) => seen(kind, namespace)));
  await eventually(() => Date.now() - since.getTime() > 3_000, { what: "three seconds" });
  expect(await writes(since, isWrite)).toEqual([]);
  expect(await Promise.all(all.map((kind) => seen(kind, namespace)))).toEqual(before);
  const events = (await user.requests()).filter(({ verb }) => verb !== "watch");
  expect(events.filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400)).toEqual([]);
});

async function podNames(namespace: string): Promise<string[]> {
  const { items } = await kubectlJson<{ items: KubernetesObject[] }>(["get", "pods", "-n", namespace]);
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}
