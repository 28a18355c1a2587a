import { expect } from "vitest";
import { ConfigMap } from "../../crds/core-kinds.ts";
import type { ObjectKind, ObjectMeta } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { holderOf } from "../../operator/cluster/impersonation.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import type { Cluster } from "../../operator/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { aNamespace, applyObjects, eventually, kubectl, testCluster } from "./fixture.ts";
import { install } from "./install.ts";
import { kubeAdapter } from "./kube-adapter.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const kinds = [stampIn(sharedGroup)];
const rbac = "rbac.authorization.k8s.io";
const noFence = { check() {} };
/** The account that the tests use. */
export const deployer = "deployer";

/** Registers the removal of objects that all tests of a file share. */
type OnEnd = (end: () => Promise<void>) => void;

/** Two pods of one fenced operator, and an account that they impersonate. The pod `leader` holds the Lease. */
export type ReleaseFenceFixture = Awaited<ReturnType<typeof aReleaseFenceFixture>>;

/** The operator's own adapter with the permissions of one of its pods, and without its own fence. */
async function asPod({ kubeconfigPath, name }: FencedPod, namespace: string, onEnd: OnEnd) {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "test" });
  onEnd(() => transport.close());
  const holder = holderOf([namespace, "operator"], name);
  return { transport, holder, cluster: new KubeCluster({ transport, clock, fence: noFence, holder }) };
}

/** A ServiceAccount that may deploy everything in the core group, including namespaces. */
async function makeDeployer(namespace: string, onEnd: OnEnd): Promise<void> {
  const rules = [{ apiGroups: [""], resources: ["*"], verbs: ["*"] }];
  const role = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: `${namespace}-deployer` },
    rules,
  };
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `${namespace}-deployer` },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: `${namespace}-deployer` },
    subjects: [{ kind: "ServiceAccount", name: deployer, namespace }],
  };
  await applyObjects({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: deployer, namespace } });
  await applyObjects(role, binding);
  onEnd(async () => {
    await kubectl(["delete", "clusterrole,clusterrolebinding", `${namespace}-deployer`]);
  });
}

/** Creates the fixture, and waits until permissions and fences are in force. */
export async function aReleaseFenceFixture(onEnd: OnEnd) {
  await install(testCluster(), {
    kinds,
    name: "release-fence",
    values: { releases: { enabled: true, requireServiceAccount: false } },
  });
  const namespace = await aNamespace({ onEnd });
  await makeDeployer(namespace, onEnd);
  const fenced = await fence(namespace, {
    kinds,
    rights: "release-fence",
    policies: { ownership: true, leadership: true, releaseStatus: true },
    releases: { enabled: true },
    watchedNamespaces: [namespace],
    onEnd,
  });
  const pods = [await fenced.aPod("leader"), await fenced.aPod("standby")] as const;
  const { cluster: leader, ...line } = await asPod(pods[0], namespace, onEnd);
  const { cluster: standby } = await asPod(pods[1], namespace, onEnd);
  const { cluster: admin } = await kubeAdapter(noFence, onEnd);
  const who = { namespace, serviceAccountName: deployer };
  const give = async (holder: string): Promise<void> => {
    const spec = JSON.stringify({ spec: { holderIdentity: holder, leaseDurationSeconds: 600 } });
    await kubectl(["patch", "lease", "operator", "-n", namespace, "--type=merge", "-p", spec]);
  };
  await give("leader");
  let count = 0;
  const setFor = (release: string) => setOf(Release, { metadata: { name: release, namespace } });
  const inSet = (release: string): Partial<ObjectMeta> => ({
    labels: { [stamps.set]: setFor(release) },
    annotations: { [stamps.owner]: `releases.fairlead.dev/${namespace}/${release}` },
  });
  const manifest = (kind: ObjectKind, name: string, metadata: Partial<ObjectMeta> = {}): Manifest => ({
    apiVersion: "v1",
    kind: kind.kind,
    metadata: { name, ...(kind.namespaced && { namespace }), ...metadata },
  });
  const fixture = {
    namespace,
    leader,
    standby,
    admin,
    line,
    who,
    give,
    inSet,
    manifest,
    freshName: (prefix: string) => `${prefix}-${++count}`,
    async uidOf(kind: ObjectKind, name: string): Promise<string> {
      const live = await admin.read({ kind, namespace, name });
      return live?.metadata.uid ?? expect.fail(`no ${kind.kind} ${name}`);
    },
    async update(by: Cluster, kind: ObjectKind, name: string, metadata: Partial<ObjectMeta>) {
      const uid = await fixture.uidOf(kind, name);
      return await by.apply(kind, manifest(kind, name, metadata), { mode: "update", uid });
    },
    async remove(by: Cluster, kind: ObjectKind, name: string): Promise<void> {
      const uid = await fixture.uidOf(kind, name);
      await by.delete({ kind, namespace, name }, { uid, propagation: "Background" });
    },
  };
  // The API server observes permissions, fences and the Lease's holder with a short delay.
  await eventually(
    async () => {
      await leader
        .as(who)
        .apply(ConfigMap, manifest(ConfigMap, fixture.freshName("probe")), { mode: "create" });
      return true;
    },
    { what: "the leader may write as the deployer" },
  );
  await eventually(
    () =>
      standby
        .as(who)
        .apply(ConfigMap, manifest(ConfigMap, fixture.freshName("early"), inSet("shop")), { mode: "create" })
        .then(
          () => false,
          (error: unknown) => /the lease is held by leader/.test(String(error)),
        ),
    { what: "the fence of what Releases write is in force" },
  );
  return fixture;
}
