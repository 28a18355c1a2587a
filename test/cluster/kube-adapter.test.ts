import { describe, expect, onTestFinished, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { KubeEventRecorder } from "../../operator/cluster/events.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { KubeLeaseClient } from "../../operator/cluster/lease-client.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { WatchConnection } from "../../operator/cluster/watch-connection.ts";
import { KubeWatchSource } from "../../operator/cluster/watch-source.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { WatchEvent } from "../../operator/runtime/ports.ts";
import { aNamespace, applyObjects, eventually, kubectl, kubectlJson } from "./fixture.ts";
import { kindNamed, kubeAdapter } from "./kube-adapter.ts";

const clock = systemClock();
const fence = { check() {} };
const configMaps = kindNamed("configmaps/v1", "ConfigMap");
const create = { mode: "create" } as const;

function aConfigMap(namespace: string, name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: { app: "web" } } };
}

async function aWatchSource(namespace: string) {
  const { access, transport } = await kubeAdapter();
  const connection = new WatchConnection(access, { clock, userAgent: "fairlead/test" });
  onTestFinished(() => connection.close());
  return new KubeWatchSource({
    kind: configMaps,
    namespace,
    labelSelector: "app=web",
    transport,
    connection,
    clock,
  });
}

describe("a watch", () => {
  test("delivers existing objects, marks their end, and continues with changes", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    for (const name of ["a", "b"]) await cluster.apply(configMaps, aConfigMap(namespace, name), create);
    await applyObjects({ ...aConfigMap(namespace, "other"), metadata: { name: "other", namespace } });
    const source = await aWatchSource(namespace);
    const cancel = new AbortController();
    const seen: WatchEvent[] = [];
    const params = {
      resourceVersion: "",
      sendInitialEvents: true,
      timeoutSeconds: 300,
      signal: cancel.signal,
    };
    for await (const event of source.watch(params)) {
      seen.push(event);
      if (event.type === "BOOKMARK") await cluster.apply(configMaps, aConfigMap(namespace, "c"), create);
      if (event.type === "ADDED" && event.object.metadata.name === "c") cancel.abort();
    }
    const names = seen.map((event) => ("object" in event ? event.object.metadata.name : event.type));
    expect(names.slice(0, 2).toSorted()).toEqual(["a", "b"]);
    expect(names.slice(2)).toEqual(["BOOKMARK", "c"]);
    expect(seen[2]).toMatchObject({ type: "BOOKMARK", initialEventsEnd: true });
    expect(seen[3]).toMatchObject({ object: { ours: true, apiVersion: "v1", kind: "ConfigMap" } });
  });

  test("lists page by page", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    for (const name of ["a", "b", "c"]) await cluster.apply(configMaps, aConfigMap(namespace, name), create);
    const source = await aWatchSource(namespace);
    const { signal } = new AbortController();
    const first = await source.list({ resourceVersion: "", limit: 2, signal });
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const { continueToken = "" } = first;
    const second = await source.list({ resourceVersion: "", limit: 2, continueToken, signal });
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    expect(second.continueToken).toBeUndefined();
    const { resourceVersion } = first;
    const relist = await source.list({ resourceVersion, signal });
    expect(relist.items).toHaveLength(3);
    expect(relist.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", ours: true });
  });

  test("that cannot start reports the reason", async () => {
    const source = await aWatchSource(await aNamespace());
    const { signal } = new AbortController();
    const params = { resourceVersion: "x", sendInitialEvents: false, timeoutSeconds: 5, signal };
    const started = source.watch(params)[Symbol.asyncIterator]().next();
    await expect(started).rejects.toMatchObject({
      name: "WatchError",
      refused: false,
      message: expect.stringMatching(/^Cannot watch "configmaps": .+ \(\d{3}\)$/),
    });
  });
});

describe("an event", () => {
  test("that repeats is one object with a series", async () => {
    const namespace = await aNamespace();
    const { cluster, transport } = await kubeAdapter();
    const regarding = await cluster.apply(configMaps, aConfigMap(namespace, "web"), create);
    const recorder = new KubeEventRecorder({
      transport,
      fence,
      clock,
      random: Math.random,
      instance: "pod-0",
    });
    const event = { type: "Warning", reason: "ApplyRejected", action: "Apply", note: "no room" } as const;
    for (let count = 0; count < 100; count++) recorder.record(regarding, event);
    await recorder.close();
    const { items } = await kubectlJson<{ items: KubernetesObject[] }>(
      `get events.events.k8s.io -n ${namespace}`,
    );
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ ...event, series: { count: 100 }, regarding: { name: "web" } });
    const shown = await kubectl(`events -n ${namespace} --for configmap/web`);
    expect(shown).toMatch(/x100 .*Warning\s+ApplyRejected\s+ConfigMap\/web\s+no room/);
  });
});

describe("the Lease", () => {
  test("is created once, and replaced only with its current version", async () => {
    const namespace = await aNamespace();
    const { access } = await kubeAdapter();
    const client = new KubeLeaseClient({
      access,
      clock,
      namespace,
      name: "fairlead",
      userAgent: "fairlead/test",
      renewDeadlineMs: 10_000,
    });
    onTestFinished(() => client.close());
    const { signal } = new AbortController();
    expect(await client.get({ signal })).toBeUndefined();
    const spec = { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };
    const made = await client.create(spec, { signal });
    await expect(client.create(spec, { signal })).rejects.toMatchObject({ status: 409 });
    const renewed = await client.replace(
      { ...made, spec: { ...made.spec, holderIdentity: "other" } },
      { signal },
    );
    expect(renewed.spec).toEqual({ ...spec, holderIdentity: "other" });
    await expect(client.replace(made, { signal })).rejects.toMatchObject({ status: 409 });
    expect(await client.get({ signal })).toEqual(renewed);
  });
});

describe("a rejection", () => {
  test("names the missing permission of a user", async () => {
    const namespace = await aNamespace();
    const { access } = await kubeAdapter();
    await kubectl(["create", "serviceaccount", "nobody", "-n", namespace]);
    const token = (await kubectl(["create", "token", "nobody", "-n", namespace])).trim();
    const withoutPermissions = { ...access, authorization: async () => `Bearer ${token}` };
    const transport = new ApiTransport(withoutPermissions, { clock, userAgent: "fairlead/test" });
    onTestFinished(() => transport.close());
    const cluster = new KubeCluster({ transport, clock, fence });
    await expect(cluster.apply(configMaps, aConfigMap(namespace, "web"), create)).rejects.toMatchObject({
      name: "ApiUnavailableError",
      status: 403,
      message: `Cannot apply "/ConfigMap/${namespace}/web": user "system:serviceaccount:${namespace}:nobody" may not patch "configmaps" of API group "" in the namespace "${namespace}"; bind a role with this verb to it`,
    });
  });

  test("distinguishes a missing kind from a missing namespace", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const unknown = kindNamed("gadgets.example.dev/v1", "Gadget");
    const gadget = { ...aConfigMap(namespace, "web"), apiVersion: "example.dev/v1", kind: "Gadget" };
    await expect(cluster.apply(unknown, gadget, create)).rejects.toThrow(
      /install its CustomResourceDefinition/,
    );
    const nowhere = aConfigMap("nowhere-at-all", "web");
    await expect(cluster.apply(configMaps, nowhere, create)).rejects.toThrow(
      /namespace "nowhere-at-all" does not exist/,
    );
  });

  test("names a field that a custom resource's schema does not have", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const group = `${namespace}.example.dev`;
    const kind = kindNamed(`parts.${group}/v1`, "Part");
    const properties = { spec: { type: "object", properties: { size: { type: "integer" } } } };
    await applyObjects({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `parts.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "parts", singular: "part", kind: "Part" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties } },
          },
        ],
      },
    });
    onTestFinished(async () => {
      await kubectl(["delete", "crd", `parts.${group}`, "--wait=false"]);
    });
    const part = (spec: object) => ({
      ...aConfigMap(namespace, "web"),
      apiVersion: `${group}/v1`,
      kind: "Part",
      spec,
    });
    const refused = await eventually(
      () =>
        cluster.apply(kind, part({ size: 1, colour: "red" }), create).then(
          () => undefined,
          (error: Error) =>
            error.message.includes("install its CustomResourceDefinition") ? undefined : error,
        ),
      { what: "the new kind is served" },
    );
    expect(refused).toMatchObject({ name: "ObjectRejectedError", message: expect.stringMatching(/colour/) });
    expect(await cluster.apply(kind, part({ size: 1 }), create)).toMatchObject({ spec: { size: 1 } });
  });
});
