import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Deployment } from "../../crds/core-kinds.ts";
import { groupKindOf, type KubernetesObject, type ObjectMeta } from "../../crds/object.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import { NotOwnedError, ReplacedError } from "../../operator/errors.ts";
import type { Cluster } from "../../operator/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { Addition, Manifest } from "../../synth/manifest.ts";
import { nap } from "../examples/nap.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { applyObjects, eventually, kubectl, kubectlJson, readObject, testCluster } from "./fixture.ts";
import { aHarness, applyResource, untilCondition, untilEvents, untilGone, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { type ManagedObject, ownedFields } from "./owned-fields.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const { definition } = nap;
const program = join(import.meta.dirname, "nap-program.ts");

interface SeenDeployment extends KubernetesObject {
  readonly spec: { readonly replicas?: number; readonly paused?: boolean };
}

/** A Deployment that another user applies, with another field manager. */
async function deploy(
  namespace: string,
  name: string,
  { labels = { app: "shop" }, ...spec }: { readonly labels?: object; readonly replicas?: number } = {},
): Promise<void> {
  const template = {
    metadata: { labels: { run: name } },
    spec: { containers: [{ name: "web", image: "web" }] },
  };
  await applyObjects({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: { selector: { matchLabels: { run: name } }, template, ...spec },
  });
}

const deployment = async (namespace: string, name: string) =>
  (await readObject<SeenDeployment>("deployment", name, namespace)) ?? expect.fail(`no Deployment ${name}`);

/** Waits until a Deployment has these replicas and this `paused`. */
const untilIs = (namespace: string, name: string, wanted: readonly [number, boolean?]) =>
  eventually(
    async () => {
      const { spec } = await deployment(namespace, name);
      if (spec.replicas === wanted[0] && (spec.paused ?? false) === (wanted[1] ?? false)) return true;
      throw new Error(JSON.stringify({ replicas: spec.replicas, paused: spec.paused }));
    },
    { what: `Deployment ${name} has ${wanted}` },
  );

/** The fields of a Deployment that a Nap owns; undefined: none. */
async function ownedBy(namespace: string, of: string, name: string): Promise<unknown> {
  const live = await kubectlJson<ManagedObject>([
    ...["get", "deployment", name, "-n", namespace, "--show-managed-fields"],
  ]);
  const manager = `fairlead/naps.example.dev/${namespace}/${of}`;
  const managers = (live.metadata.managedFields ?? []).map((entry) => entry.manager);
  return managers.includes(manager) ? ownedFields(live, manager) : undefined;
}

/** An operator for Naps with both fences. */
async function aFixture() {
  const kinds = [stampIn(sharedGroup), nap];
  await install(testCluster(), { kinds, name: "naps" });
  const { namespace, ...harness } = await aHarness({ program, publishes: false });
  const fenced = await fence(namespace, { kinds, rights: "naps" });
  const pod = await fenced.aPod("operator-1");
  const start = () => harness.start(fenced.args, pod);
  /** The operator's writes to Deployments. */
  const writes = async (since: Date) =>
    (await pod.requests(since))
      .filter((request) => isWrite(request) && request.objectRef?.resource === "deployments")
      .map(lineOf);
  return { namespace, pod, start, writes };
}

/** The operator's own adapter with the permissions of one of its pods, and without its own fence. */
async function asPod({ kubeconfigPath }: FencedPod): Promise<{ cluster: Cluster; close(): Promise<void> }> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "test" });
  return {
    cluster: new KubeCluster({ transport, clock, fence: { check() {} } }),
    close: () => transport.close(),
  };
}

describe("fields of other owners' objects", () => {
  test("are set, kept, not taken over from other managers, and removed when they are no longer desired", async () => {
    // Given Deployments of an app and of another one, one of them with replicas of its owner
    const { namespace, start, writes } = await aFixture();
    await deploy(namespace, "web");
    await deploy(namespace, "far", { labels: { app: "other" } });
    await deploy(namespace, "held", { replicas: 2 });
    const before = await deployment(namespace, "web");

    // When there is a Nap, and an operator
    await applyResource(definition, namespace, { name: "night", app: "shop", pause: true });
    const first = await start();

    // Then an unowned field is set, by the Nap's own manager, and nothing else is changed
    await untilIs(namespace, "web", [0, true]);
    const { labels, annotations, ownerReferences, finalizers } = before.metadata;
    expect((await deployment(namespace, "web")).metadata).toMatchObject({
      labels,
      ...(annotations && { annotations }),
    });
    expect([ownerReferences, finalizers]).toEqual([undefined, undefined]);
    expect((await deployment(namespace, "web")).metadata.ownerReferences).toBeUndefined();
    expect(await ownedBy(namespace, "night", "web")).toEqual({ spec: { replicas: 0, paused: true } });
    await untilIs(namespace, "far", [1]);

    // and for an owned field, condition and event name the field and its manager
    const refused = await untilCondition(definition, namespace, {
      type: "Applied",
      status: "False",
      reason: "ApplyRejected",
      name: "night",
    });
    const conflict = `The API server refuses Deployment ${namespace}/held: spec.replicas: conflict with "test"`;
    expect(refused.status?.conditions).toContainEqual(expect.objectContaining({ message: conflict }));
    const events = await untilEvents(namespace, "Nap", "night");
    expect(events).toContainEqual(expect.objectContaining({ type: "Warning", note: conflict }));
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: "Extended",
        note: `Extended Deployment ${namespace}/web: set spec.replicas and spec.paused`,
      }),
    );
    await untilIs(namespace, "held", [2]);

    // When its owner removes it, then it is set there too
    await deploy(namespace, "held");
    await untilIs(namespace, "held", [0, true]);
    await untilReady(definition, namespace, "night");

    // When a user removes a field, then it is set again
    const off = JSON.stringify([{ op: "remove", path: "/spec/paused" }]);
    await kubectl(["patch", "deployment", "web", "-n", namespace, "--type=json", "-p", off]);
    await untilIs(namespace, "web", [0, true]);

    // When the Nap no longer wants a field, then that one is removed
    await applyResource(definition, namespace, { name: "night", app: "shop", pause: false });
    for (const name of ["web", "held"]) await untilIs(namespace, name, [0]);
    expect(await ownedBy(namespace, "night", "web")).toEqual({ spec: { replicas: 0 } });

    // When a Deployment no longer belongs to the app, and the operator did not run, then it is restored
    await untilReady(definition, namespace, "night");
    await first.stop();
    await deploy(namespace, "web", { labels: { app: "none" } });
    const restarted = new Date();
    const second = await start();
    await untilIs(namespace, "web", [1]);
    expect(await ownedBy(namespace, "night", "web")).toBeUndefined();
    expect(await writes(restarted)).toEqual(["patch deployments web 200"]);

    // When the Nap is deleted, then the fields that it has set are removed
    await kubectl(["delete", "nap", "night", "-n", namespace]);
    await untilGone(groupKindOf(definition), "night", namespace);
    await untilIs(namespace, "held", [1]);
    expect(await ownedBy(namespace, "night", "held")).toBeUndefined();
    await second.stop();
  });

  test("are the only ones that the fence admits, by the manager of a resource that may set them", async () => {
    const { namespace, pod } = await aFixture();
    await deploy(namespace, "web");
    const lease = '{"spec":{"holderIdentity":"operator-1","leaseDurationSeconds":600}}';
    await kubectl(["patch", "lease", "operator", "-n", namespace, "--type=merge", "-p", lease]);
    const { cluster, close } = await asPod(pod);
    const { uid = "" } = (await deployment(namespace, "web")).metadata;
    const manager = `fairlead/naps.example.dev/${namespace}/night`;
    const manifest = (spec: object, metadata: Partial<ObjectMeta> = {}): Manifest => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace, ...metadata },
      spec,
    });
    const add = (wanted: Manifest, more: Partial<Addition> & { readonly uid?: string } = {}) => {
      const { uid: meant = uid, ...rest } = more;
      const addition: Addition = {
        manifest: wanted,
        kind: Deployment,
        selector: undefined,
        fields: ["spec.replicas"],
        fieldManager: manager,
        ...rest,
      };
      return cluster.add(addition, { uid: meant });
    };
    await eventually(() => add(manifest({ replicas: 0 })).then(() => true), { what: "the leader may write" });
    // fields of the kind's list, and those that a Nap with a long name sets
    await add(manifest({ replicas: 0, paused: true }));
    await add(manifest({}));
    await add(manifest({ replicas: 0 }), { fieldManager: "fairlead/applyset-x-v1" });
    await add(manifest({}), { fieldManager: "fairlead/applyset-x-v1" });

    const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["another field", () => add(manifest({ minReadySeconds: 9 }))],
      ["another field beside", () => add(manifest({ replicas: 0, minReadySeconds: 9 }))],
      ["a field of the template", () => add(manifest({ template: { spec: { hostname: "x" } } }))],
      ["a label", () => add(manifest({ replicas: 0 }, { labels: { a: "b" } }))],
      ["an annotation", () => add(manifest({ replicas: 0 }, { annotations: { a: "b" } }))],
      ["a finalizer", () => add(manifest({ replicas: 0 }, { finalizers: ["example.dev/x"] }))],
      ["another manager", () => add(manifest({ replicas: 0 }), { fieldManager: "fairlead" })],
      [
        "a kind that sets none",
        () => add(manifest({ replicas: 0 }), { fieldManager: `fairlead/stamps.${sharedGroup}/a/b` }),
      ],
      [
        "our own forced apply",
        () => cluster.apply(Deployment, manifest({ replicas: 0 }), { mode: "update", uid }),
      ],
    ];
    for (const [what, request] of refused) await expect(request(), what).rejects.toThrow(NotOwnedError);
    // The role has no permission to delete or create a Deployment.
    const ref = { kind: Deployment, namespace, name: "web" };
    await expect(cluster.delete(ref, { uid, propagation: "Background" })).rejects.toThrow(/may not delete/);
    const absent = { ...manifest({ replicas: 0 }), metadata: { name: "absent", namespace } };
    await expect(add(absent)).rejects.toThrow(ReplacedError);
    const another = "00000000-0000-0000-0000-000000000000";
    await expect(add(manifest({ replicas: 0 }), { uid: another })).rejects.toThrow(ReplacedError);
    await close();
  });
});
