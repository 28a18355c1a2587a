import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMap, Namespace, Secret } from "../../crds/core-kinds.ts";
import type { ObjectKind, ObjectMeta } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { holderOf, impersonationHeaders } from "../../operator/cluster/impersonation.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import type { ReleaseCluster } from "../../operator/release/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { aNamespace, applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { install } from "./install.ts";
import { kubeAdapter } from "./kube-adapter.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const kinds = [stampIn(sharedGroup)];
const rbac = "rbac.authorization.k8s.io";
const noFence = { check() {} };
const endings: (() => Promise<void>)[] = [];
const onEnd = (end: () => Promise<void>) => void endings.push(end);
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

const rights = { kinds: [], watchAll: false, readSecrets: false, impersonate: true, serviceAccounts: [] };
const deployer = "deployer";

/** The operator's own adapter with the rights of a pod of it, and with nothing else that holds it back. */
async function asPod({ kubeconfigPath, name }: FencedPod, namespace: string) {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "story" });
  onEnd(() => transport.close());
  const holder = holderOf([namespace, "operator"], name);
  return { transport, holder, cluster: new KubeCluster({ transport, clock, fence: noFence, holder }) };
}

/** A ServiceAccount that may deploy into a namespace, of a kind of its own, and namespaces. */
async function makeDeployer(namespace: string): Promise<void> {
  const rules = [
    { apiGroups: ["", "example.dev"], resources: ["*"], verbs: ["*"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
  ];
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

async function aScene() {
  await install(testCluster(), {
    kinds,
    name: "release-fence",
    values: { releases: { enabled: true, impersonate: true } },
  });
  const namespace = await aNamespace({ onEnd });
  await makeDeployer(namespace);
  const fenced = await fence(namespace, {
    kinds: [...kinds],
    rights: "release-fence",
    releases: rights,
    onEnd,
  });
  const pods = [await fenced.aPod("leader"), await fenced.aPod("standby")] as const;
  const { cluster: leader, ...line } = await asPod(pods[0], namespace);
  const { cluster: standby } = await asPod(pods[1], namespace);
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
  const scene = {
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
    async update(by: ReleaseCluster, kind: ObjectKind, name: string, metadata: Partial<ObjectMeta>) {
      const uid = await scene.uidOf(kind, name);
      return await by.apply(kind, manifest(kind, name, metadata), { mode: "update", uid });
    },
    async remove(by: ReleaseCluster, kind: ObjectKind, name: string): Promise<void> {
      const uid = await scene.uidOf(kind, name);
      await by.delete({ kind, namespace, name }, { uid, propagation: "Background" });
    },
  };
  // Rights, fences and the Lease's holder reach the API server's own watches a moment later.
  await eventually(
    async () => {
      await leader
        .as(who)
        .apply(ConfigMap, manifest(ConfigMap, scene.freshName("probe")), { mode: "create" });
      return true;
    },
    { what: "the leader may write as the deployer" },
  );
  return scene;
}

let scene: Awaited<ReturnType<typeof aScene>>;
beforeAll(async () => {
  scene = await aScene();
});

describe("under impersonation", () => {
  test("the API server takes a request for one of the ServiceAccount, with its groups and no others", async () => {
    const { namespace, who, line } = scene;
    const review = await line.transport.send({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
      headers: impersonationHeaders(who, line.holder),
    });
    expect(JSON.parse(review.body)).toMatchObject({
      status: {
        userInfo: {
          username: `system:serviceaccount:${namespace}:${deployer}`,
          groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
          extra: { "fairlead.dev/holder": [`${namespace}/operator/leader`] },
        },
      },
    });
  });

  test("the leadership fence holds for objects of any kind", async () => {
    const { leader, standby, who, manifest, inSet, freshName, update, remove } = scene;
    const [asLeader, asStandby] = [leader.as(who), standby.as(who)];
    for (const kind of [ConfigMap, Secret, Namespace]) {
      const name = freshName(`lead-${scene.namespace}`);
      const made = manifest(kind, name, inSet("shop"));
      await expect(asStandby.apply(kind, made, { mode: "create" })).rejects.toThrow(
        /the lease is held by leader, and this request comes from standby/,
      );
      await asLeader.apply(kind, made, { mode: "create" });
      await expect(update(asStandby, kind, name, inSet("shop"))).rejects.toMatchObject({
        name: "NotLeadingError",
        isRefusal: true,
      });
      await expect(remove(asStandby, kind, name)).rejects.toThrow(/the lease is held by leader/);
      await remove(asLeader, kind, name);
    }
  });

  test("the leadership fence opens for the next leader, and closes behind the last", async () => {
    const { leader, standby, who, manifest, freshName, give } = scene;
    await give("standby");
    const as = { mode: "create" } as const;
    await eventually(
      async () => {
        await standby.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("next")), as);
        return true;
      },
      { what: "the API server knows the new holder" },
    );
    const late = leader.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("late")), as);
    await expect(late).rejects.toThrow(/the lease is held by standby, and this request comes from leader/);
    await give("leader");
    await eventually(
      async () => {
        await leader.as(who).apply(ConfigMap, manifest(ConfigMap, freshName("back")), as);
        return true;
      },
      { what: "the first one leads again" },
    );
  });

  test("the ownership fence leaves alone what is not of the Release, and lets it have what is", async () => {
    const { leader, who, admin, manifest, inSet, freshName, update, remove } = scene;
    const asLeader = leader.as(who);
    const own = freshName("own");
    await asLeader.apply(Secret, manifest(Secret, own, inSet("shop")), { mode: "create" });
    await update(asLeader, Secret, own, inSet("shop"));
    // Somebody else's; another Release's, by label alone and truly; and one that is handed over to another.
    const theirs = freshName("theirs");
    const others = freshName("others");
    const labelled = freshName("labelled");
    const handed = freshName("handed");
    await applyObjects(
      manifest(Secret, theirs),
      manifest(Secret, labelled, inSet("shop")),
      manifest(Secret, handed, { annotations: { [stamps.adoptBy]: "release/other" } }),
    );
    await asLeader.apply(Secret, manifest(Secret, others, inSet("other")), { mode: "create" });
    for (const name of [theirs, others, labelled, handed]) {
      await expect(update(asLeader, Secret, name, inSet("shop")), name).rejects.toMatchObject({
        name: "NotOwnedError",
      });
    }
    for (const name of [theirs, labelled, handed])
      await expect(remove(asLeader, Secret, name), name).rejects.toThrow(/leaves alone what belongs to/);
    // Handed over to this very one, by its short and by its long name.
    for (const to of ["Release/shop", `release.fairlead.dev/${scene.namespace}/shop`]) {
      const name = freshName("given");
      await applyObjects(manifest(Secret, name, { annotations: { [stamps.adoptBy]: to } }));
      await update(asLeader, Secret, name, inSet("shop"));
    }
    await remove(asLeader, Secret, own);
    // What the operator does by itself is held to the same.
    await expect(update(leader, Secret, theirs, inSet("shop"))).rejects.toMatchObject({
      name: "ApiUnavailableError",
    });
    // Nobody else is: neither a person, nor the deployer when it is not the operator that acts.
    await update(admin, Secret, theirs, inSet("shop"));
    const byHand = [`--as=system:serviceaccount:${scene.namespace}:${deployer}`, "-n", scene.namespace];
    await kubectl(["label", "secret", labelled, "team=a", "--field-manager=fairlead", ...byHand]);
    await kubectl(["delete", "secret", labelled, ...byHand]);
  });

  test("a Release can be made an ApplySet by the operator, and its spec is left alone", async () => {
    const { leader, namespace } = scene;
    const spec = { source: { url: "https://git.test/r.git" }, render: { manifests: {} } };
    const release = {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata: { name: "set", namespace },
    };
    await applyObjects({ ...release, spec });
    const ref = { kind: Release, namespace, name: "set" };
    await leader.patchMetadata(ref, {
      labels: { "applyset.kubernetes.io/id": "applyset-x-v1" },
      annotations: { "applyset.kubernetes.io/tooling": "fairlead/v1" },
      finalizers: ["fairlead.dev/objects"],
    });
    const live = await readObject("releases.fairlead.dev", "set", namespace);
    await leader.patchStatus(ref, live?.metadata.uid ?? "", { revision: "a".repeat(40) });
    const edit = leader.apply(
      Release,
      { ...release, spec: { suspend: true } },
      { mode: "update", uid: live?.metadata.uid ?? "" },
    );
    await expect(edit).rejects.toThrow(/leaves alone what belongs to|belongs to/);
    await leader.patchMetadata(ref, { finalizers: [] });
  });

  test("an account that may not be named, or that has no rights, writes nothing", async () => {
    const { leader, manifest, namespace } = scene;
    const nobody = leader.as({ namespace, serviceAccountName: "nobody" });
    await expect(nobody.apply(ConfigMap, manifest(ConfigMap, "no"), { mode: "create" })).rejects.toThrow(
      `user "system:serviceaccount:${namespace}:nobody" may not patch "configmaps"`,
    );
    expect(() => leader.as({ namespace, serviceAccountName: "" })).toThrow(/Cannot impersonate/);
    expect(await readObject("configmap", "no", namespace)).toBeUndefined();
  });
});
