import { describe, expect, test } from "vitest";
import { objectIn } from "../../operator/cluster/json-value.ts";
import {
  NamespaceTerminatingError,
  NotLeadingError,
  ObjectRejectedError,
  ReplacedError,
} from "../../operator/errors.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { childKind, manifestOf, podTemplate } from "./child-kinds.ts";
import { aNamespace, applyObjects, eventually, kubectl, readObject } from "./fixture.ts";
import { kindNamed, kubeAdapter } from "./kube-adapter.ts";

const configMaps = kindNamed("configmaps/v1", "ConfigMap");
const deployments = kindNamed("deployments.apps/v1", "Deployment");
function aConfigMap(namespace: string, fields: object): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace }, ...fields };
}

const create = { mode: "create" } as const;

describe("an apply that may only change one object", () => {
  test("changes it while it has its uid, and neither another object of the same name nor a missing one", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const { metadata } = await cluster.apply(configMaps, aConfigMap(namespace, { data: { a: "1" } }), create);
    const desired = aConfigMap(namespace, { data: { a: "2" } });
    const changed = await cluster.apply(configMaps, desired, { mode: "update", uid: metadata.uid });
    expect(changed["data"]).toEqual({ a: "2" });
    await kubectl(["replace", "--force", "-f", "-"], {
      input: [aConfigMap(namespace, { data: { b: "3" } })],
    });
    const late = () => cluster.apply(configMaps, desired, { mode: "update", uid: metadata.uid });
    await expect(late()).rejects.toBeInstanceOf(ReplacedError);
    expect(await readObject("configmap", "web", namespace)).toMatchObject({ data: { b: "3" } });
    await kubectl(["delete", "configmap", "web", "-n", namespace]);
    await expect(late()).rejects.toBeInstanceOf(ReplacedError);
    expect(await readObject("configmap", "web", namespace)).toBeUndefined();
  });
});

describe("a rejection", () => {
  const deployment = childKind("Deployment");

  test("names the immutable field", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const manifest = manifestOf(deployment, namespace);
    const { metadata } = await cluster.apply(deployments, manifest, create);
    const other = { app: "other" };
    const template = { ...podTemplate, metadata: { labels: other } };
    const moved = { ...manifest, spec: { selector: { matchLabels: other }, template } };
    const refused = cluster.apply(deployments, moved, { mode: "update", uid: metadata.uid });
    await expect(refused).rejects.toMatchObject({
      name: "ObjectRejectedError",
      immutableField: "spec.selector",
      message: `Cannot apply "apps/Deployment/${namespace}/web": spec.selector: invalid value {"matchLabels":{"app":"other"}}: field is immutable`,
    });
  });

  test.for([
    {
      what: "an unknown field",
      spec: { sidecars: 1 },
      says: /\.spec\.sidecars: field not declared in schema$/,
    },
    {
      what: "a number given as text",
      spec: { replicas: "three" },
      says: /\.spec\.replicas: expected numeric/,
    },
  ])("names $what", async ({ spec, says }) => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const manifest = manifestOf(deployment, namespace);
    const error = await cluster
      .apply(deployments, { ...manifest, spec: { ...objectIn(manifest["spec"]), ...spec } }, create)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ObjectRejectedError);
    expect(String(error)).toMatch(says);
  });

  test("reports that a namespace is terminating", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    await applyObjects({
      ...aConfigMap(namespace, {}),
      metadata: { name: "held", namespace, finalizers: ["example.dev/held"] },
    });
    await kubectl(["delete", "namespace", namespace, "--wait=false"]);
    const late = cluster.apply(configMaps, aConfigMap(namespace, {}), create);
    await expect(late).rejects.toBeInstanceOf(NamespaceTerminatingError);
    await kubectl([
      "patch",
      "configmap",
      "held",
      "-n",
      namespace,
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":null}}',
    ]);
  });

  test("by the fence changes nothing", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter({
      check() {
        throw new NotLeadingError();
      },
    });
    await expect(cluster.apply(configMaps, aConfigMap(namespace, {}), create)).rejects.toBeInstanceOf(
      NotLeadingError,
    );
    expect(await cluster.read({ kind: configMaps, namespace, name: "web" })).toBeUndefined();
  });
});

describe("a delete", () => {
  test("does not affect another object of the same name, and accepts that the object does not exist", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const { metadata } = await cluster.apply(configMaps, aConfigMap(namespace, {}), create);
    const ref = { kind: configMaps, namespace, name: "web" };
    await cluster.delete(ref, { uid: "00000000-0000-0000-0000-000000000000", propagation: "Background" });
    expect(await cluster.read(ref)).toBeDefined();
    await cluster.delete(ref, { uid: metadata.uid, propagation: "Background" });
    expect(await cluster.read(ref)).toBeUndefined();
    await cluster.delete(ref, { uid: metadata.uid, propagation: "Background" });
  });
});

describe("a patch", () => {
  test("of status or metadata reaches the object with this uid only", async () => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const child = childKind("PodDisruptionBudget");
    const { metadata } = await cluster.apply(child.kind, manifestOf(child, namespace), create);
    const ref = { kind: child.kind, namespace, name: "web" };
    const status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 7 };
    expect(await cluster.patchStatus(ref, metadata.uid, status)).toMatchObject({ status });
    const otherUid = "00000000-0000-0000-0000-000000000000";
    expect(await cluster.patchStatus(ref, otherUid, { expectedPods: 1 })).toBeUndefined();
    expect(await cluster.patchStatus({ ...ref, name: "none" }, otherUid, status)).toBeUndefined();
    const { resourceVersion } = metadata;
    const late = cluster.patchStatus(ref, metadata.uid, { expectedPods: 1 }, { resourceVersion });
    await expect(late).rejects.toBeInstanceOf(ReplacedError);
    const finalizers = ["example.dev/held"];
    const held = await cluster.patchMetadata(ref, { uid: metadata.uid, finalizers });
    expect(held?.metadata.finalizers).toEqual(finalizers);
    expect(await cluster.patchMetadata(ref, { uid: otherUid, finalizers: null })).toBeUndefined();
    const stale = cluster.patchMetadata(ref, { resourceVersion: metadata.resourceVersion, finalizers: null });
    await expect(stale).rejects.toBeInstanceOf(ReplacedError);
    const freed = await cluster.patchMetadata(ref, { uid: metadata.uid, finalizers: null });
    expect(freed?.metadata.finalizers).toBeUndefined();
    expect(freed).toMatchObject({ status });
  });
});

describe("taking over the fields of the original operator", () => {
  test.for([
    { by: "server-side apply", args: ["apply", "--server-side", "--field-manager=before", "-f", "-"] },
    { by: "create", args: ["create", "--field-manager=before", "-f", "-"] },
  ])("lets an apply remove fields that were set by $by", async ({ args }) => {
    const namespace = await aNamespace();
    const { cluster } = await kubeAdapter();
    const owner = await cluster.apply(
      configMaps,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace } },
      create,
    );
    const ownerReferences = [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: owner.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    const before = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "web", namespace, ownerReferences, labels: { old: "yes" } },
      data: { kept: "1", old: "1" },
    };
    await kubectl(args, { input: [before] });
    await kubectl([
      "patch",
      "configmap",
      "web",
      "-n",
      namespace,
      "--field-manager=person",
      "--type=merge",
      "-p",
      '{"data":{"theirs":"1"}}',
    ]);
    const live = await eventually(() => cluster.read({ kind: configMaps, namespace, name: "web" }), {
      what: "the object",
    });
    const taken = await cluster.takeOverFields(configMaps, live);
    expect(taken).toMatchObject({ ours: true, data: { kept: "1", old: "1", theirs: "1" } });
    const desired = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "web", namespace, ownerReferences },
      data: { kept: "2" },
    };
    const after = await cluster.apply(configMaps, desired, { mode: "update", uid: live.metadata.uid });
    expect(after["data"]).toEqual({ kept: "2", theirs: "1" });
    expect(after.metadata.labels).toBeUndefined();
    const again = await cluster.takeOverFields(configMaps, after);
    expect(again?.metadata.resourceVersion).toBe(after.metadata.resourceVersion);
  });
});
