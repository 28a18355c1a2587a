import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { apiVersionOf, type ObjectMeta, type OwnerReference } from "../../crds/object.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import type { Cluster } from "../../operator/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { type FencedPod, fence } from "./fenced.ts";
import { aNamespace, applyObjects, readObject, testCluster } from "./fixture.ts";
import { install } from "./install.ts";
import { kubeAdapter } from "./kube-adapter.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const kind = stampIn(sharedGroup);
const { definition } = kind;
/** Removes the objects for all tests of this file after them. (A hook cannot add hooks.) */
const endings: (() => Promise<void>)[] = [];
const onEnd = (end: () => Promise<void>) => void endings.push(end);
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

const noFence = { check() {} };
const stamp = `${definition.plural}.${definition.group}`;

/** The operator's own adapter with the permissions of one of its pods, and without its own fence. */
async function asPod({ kubeconfigPath }: FencedPod): Promise<Cluster> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "test" });
  endings.push(() => transport.close());
  return new KubeCluster({ transport, clock, fence: noFence });
}

async function aFixture() {
  await install(testCluster(), { kinds: [kind], name: "stamps" });
  const namespace = await aNamespace({ onEnd });
  const policies = { ownership: true, leadership: false };
  const fenced = await fence(namespace, { kinds: [kind], rights: "stamps", policies, onEnd });
  for (const name of ["mine", "other"]) {
    const apiVersion = apiVersionOf(definition);
    await applyObjects({ apiVersion, kind: "Stamp", metadata: { name, namespace }, spec: { text: "a" } });
  }
  const uidOf = async (name: string) =>
    (await readObject(stamp, name, namespace))?.metadata.uid ?? expect.fail(`no Stamp ${name}`);
  const uids = { mine: await uidOf("mine"), other: await uidOf("other") };
  const operator = await asPod(await fenced.aPod("operator-1"));
  const { cluster: admin } = await kubeAdapter(noFence, onEnd);
  let count = 0;

  const setFor = (owner: "mine" | "other") => setOf(definition, { metadata: { name: owner, namespace } });
  const refTo = (owner: "mine" | "other") => ({ kind: "Stamp", name: owner, uid: uids[owner] });
  const controlledBy = (owner: object, apiVersion = "v1") => ({
    ownerReferences: [{ apiVersion, ...owner, controller: true } as OwnerReference],
  });
  const ownedBy = (owner: "mine" | "other") => controlledBy(refTo(owner), apiVersionOf(definition));
  const labelled = (owner: "mine" | "other") => ({ labels: { "fairlead.dev/set": setFor(owner) } });
  const manifest = (name: string, metadata: Partial<ObjectMeta>, text = "made"): Manifest => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ...metadata },
    data: { text },
  });
  const stamped = (owner: "mine" | "other") => ({ ...labelled(owner), ...ownedBy(owner) });
  const apply = async (name: string, metadata: Partial<ObjectMeta>, by = operator) => {
    const live = await admin.read({ kind: ConfigMap, namespace, name });
    const guard =
      live === undefined
        ? ({ mode: "create" } as const)
        : ({ mode: "update", uid: live.metadata.uid } as const);
    return await by.apply(ConfigMap, manifest(name, metadata, "applied"), guard);
  };
  return {
    operator,
    namespace,
    stamped,
    labelled,
    ownedBy,
    apply,
    /** The controller is not a resource of the operator. */
    async byAnother(): Promise<Partial<ObjectMeta>> {
      const { metadata } = await admin.apply(ConfigMap, manifest("owner", {}), { mode: "create" });
      return controlledBy({ kind: "ConfigMap", name: "owner", uid: metadata.uid });
    },
    /** A ConfigMap that the operator created, and another client changed. */
    async ours(metadata: Partial<ObjectMeta>, change: object = {}): Promise<string> {
      const name = `ours-${++count}`;
      await operator.apply(ConfigMap, manifest(name, metadata), { mode: "create" });
      await admin.patchMetadata({ kind: ConfigMap, namespace, name }, change);
      return name;
    },
    /** A ConfigMap of another client. */
    async theirs(metadata: Partial<ObjectMeta>): Promise<string> {
      const name = `theirs-${++count}`;
      await applyObjects(manifest(name, metadata));
      return name;
    },
    async remove(name: string): Promise<void> {
      const live = await admin.read({ kind: ConfigMap, namespace, name });
      const uid = live?.metadata.uid ?? expect.fail(`no ConfigMap ${name}`);
      await operator.delete({ kind: ConfigMap, namespace, name }, { uid, propagation: "Background" });
    },
    async takeOver(name: string): Promise<void> {
      const live = await admin.read({ kind: ConfigMap, namespace, name });
      await operator.takeOverFields(ConfigMap, live ?? expect.fail(`no ConfigMap ${name}`));
    },
    admin,
  };
}

const handedTo = (to: string) => ({ annotations: { "fairlead.dev/adopt-by": to } });
const unowned = { ownerReferences: null };

let fixture: Awaited<ReturnType<typeof aFixture>>;
beforeAll(async () => {
  fixture = await aFixture();
});

describe("the ownership fence", () => {
  test("admits all requests for creating, repairing, adopting and pruning objects", async () => {
    const { apply, ours, theirs, remove, takeOver, stamped, labelled, ownedBy, namespace } = fixture;
    const mine = stamped("mine");
    // created, changed and pruned objects,
    const own = await ours(mine);
    await apply(own, mine);
    await remove(own);
    // an object without the label, another label's value or the owner reference,
    await apply(await ours(mine, { labels: { "fairlead.dev/set": null } }), mine);
    await apply(await ours(mine, { labels: { "fairlead.dev/set": "something" } }), mine);
    await apply(await ours(mine, unowned), mine);
    // an object that garbage collection cannot reach, because it has no owner reference,
    const beyond = await ours(labelled("mine"));
    await apply(beyond, labelled("mine"));
    await remove(beyond);
    // an object of another operator for the same resource, its fields first,
    const former = await theirs(ownedBy("mine"));
    await takeOver(former);
    await apply(former, mine);
    await remove(await ours(mine, { labels: { "fairlead.dev/set": null } }));
    // and an object that its owner handed over.
    await apply(await theirs(handedTo("Stamp/mine")), mine);
    await apply(await theirs(handedTo(`stamp/${namespace}/mine`)), mine);
    await apply(await theirs(handedTo(`Stamp.${sharedGroup}/mine`)), mine);
    const owner = { "fairlead.dev/owner": `${stamp}/elsewhere/mine` };
    const otherNamespace = { ...labelled("mine"), annotations: owner };
    await apply(await theirs(handedTo("stamp/elsewhere/mine")), otherNamespace);
    await apply(await theirs(handedTo(`stamp.${sharedGroup}/elsewhere/mine`)), otherNamespace);
  });

  test("rejects every other change and deletion, and names the owner of the object", async () => {
    const { operator, apply, ours, theirs, remove, stamped, labelled, byAnother, namespace } = fixture;
    const mine = stamped("mine");
    const another = await byAnother();
    for (const [name, owner] of [
      [await theirs({}), "another owner"],
      [await theirs({ labels: { "app.kubernetes.io/managed-by": "Helm" } }), "Helm"],
      // for another resource of the operator,
      [await ours(stamped("other")), "Stamp other"],
      [await ours(labelled("other")), /the set applyset-/],
      [await theirs(another), "ConfigMap owner"],
      [await theirs({ ...labelled("mine"), ...another }), "ConfigMap owner"],
      // labels alone are input that anyone can write,
      [await theirs(labelled("mine")), /the set applyset-/],
      // and an object can be handed over to one resource only.
      [await theirs(handedTo("stamp/other")), "another owner"],
      [await theirs(handedTo("echo/mine")), "another owner"],
      [await theirs(handedTo("stamp.elsewhere.dev/mine")), "another owner"],
      [await theirs(handedTo("stamp/elsewhere/mine")), "another owner"],
      [await theirs({ ...handedTo("stamp/mine"), ...labelled("other") }), /the set applyset-/],
      [await theirs({ ...handedTo("stamp/mine"), ...another }), "ConfigMap owner"],
    ] as const) {
      const expected = typeof owner === "string" ? owner : expect.stringMatching(owner);
      // The API server itself rejects a second controller.
      const wanted = owner === "ConfigMap owner" ? labelled("mine") : mine;
      await expect(apply(name, wanted), name).rejects.toMatchObject({
        name: "NotOwnedError",
        owner: { name: expected },
      });
    }
    for (const name of [
      await theirs({}),
      await theirs(another),
      await theirs(labelled("mine")),
      await ours({}),
      await theirs(handedTo("stamp/mine")),
    ]) {
      await expect(remove(name), name).rejects.toThrow(/leaves alone what belongs to/);
    }
    const ref = { kind: ConfigMap, namespace, name: await theirs({}) };
    await expect(operator.patchMetadata(ref, { labels: { a: "b" } })).rejects.toThrow(/leaves alone/);
  });

  test("does not affect other users, for any field manager", async () => {
    const { admin, apply, theirs, stamped } = fixture;
    await apply(await theirs({}), stamped("mine"), admin);
  });
});
