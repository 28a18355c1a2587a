import { expect, test } from "vitest";
import { Release, releaseAnnotations } from "../../crds/release.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { aNamespace, eventually, kubectl, readObject } from "./fixture.ts";
import { aConfigMapFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

/**
 * An object that any user can apply in an own namespace: with the public id of another set, and the operator's field
 * manager.
 */
async function createForged(harness: ReleaseHarness, kind: string, namespace: string): Promise<void> {
  const labels = {
    [stamps.set]: setOf(Release, { metadata: { name: "shop", namespace: harness.namespace } }),
  };
  const metadata = { name: "forged", namespace, labels, finalizers: ["example.dev/never"] };
  const data = kind === "ConfigMap" ? { data: { forged: "yes" } } : { stringData: { forged: "yes" } };
  const input = { apiVersion: "v1", kind, metadata, ...data };
  await kubectl("apply --server-side --force-conflicts --field-manager=fairlead -f -", { input });
}

async function versionOf(kind: string, namespace: string): Promise<string> {
  const found = await readObject(kind, "forged", namespace);
  return `${found?.metadata.uid} ${found?.metadata.resourceVersion} ${found?.metadata.deletionTimestamp}`;
}

async function removeForged(kind: string, namespace: string): Promise<void> {
  const free = '{"metadata":{"finalizers":[]}}';
  await kubectl(["patch", kind, "forged", "-n", namespace, "--type=merge", "-p", free]);
}

test("objects with a Release's label that it did not record are not changed, and block nothing", async () => {
  const harness = await aReleaseHarness();
  const { commit, namespace } = harness;
  const theirs = await aNamespace();
  const places = [
    ["configmap", theirs],
    ["secret", theirs],
    ["configmap", namespace],
  ] as const;
  const first = commit({
    "shop/web.json": aConfigMapFile("web", { colour: "blue" }),
    "shop/two.json": aConfigMapFile("two", {}),
  });
  // This operator watches both namespaces, like one that watches all.
  await harness.start([`--namespace=${theirs}`]);
  await harness.release("shop");
  await harness.untilAt("shop", first);

  for (const [kind, place] of places)
    await createForged(harness, kind === "secret" ? "Secret" : "ConfigMap", place);
  const forged = await Promise.all(places.map(([kind, place]) => versionOf(kind, place)));
  const since = new Date();
  // An edit, and a prune, both next to the foreign object.
  const second = commit({
    "shop/web.json": aConfigMapFile("web", { colour: "green" }),
    "shop/two.json": undefined,
  });
  const release = await harness.untilAt("shop", second);
  expect(release.status?.["inventory"]).toMatchObject({ entries: [`/ConfigMap/${namespace}/web`] });
  expect(await Promise.all(places.map(([kind, place]) => versionOf(kind, place)))).toEqual(forged);

  await harness.remove("shop");
  await eventually(async () => (await readObject("configmap", "web", namespace)) === undefined, {
    what: "the Release's own object is deleted",
  });
  expect(await Promise.all(places.map(([kind, place]) => versionOf(kind, place)))).toEqual(forged);
  expect((await harness.writes(since)).filter((write) => write.includes("forged"))).toEqual([]);
  for (const [kind, place] of places) await removeForged(kind, place);
});

test("a record that the operator did not seal is ignored when the Release is deleted", async () => {
  const harness = await aReleaseHarness();
  const { namespace } = harness;
  const theirs = await aNamespace();
  await harness.start([`--namespace=${theirs}`]);
  // The Release has no inventory, because its folder does not exist, and the operator's finalizer.
  harness.commit({ "other/web.json": aConfigMapFile("web", {}) });
  await harness.release("shop");
  await harness.until("shop", { status: "False", reason: "SourceNotFound" });
  await createForged(harness, "ConfigMap", theirs);
  const forged = await versionOf("configmap", theirs);
  const ids = JSON.stringify([`/ConfigMap/${theirs}/forged`]);
  const metadata = {
    finalizers: ["fairlead.dev/objects"],
    annotations: { [releaseAnnotations.recorded]: `${"A".repeat(43)} ${ids}` },
  };
  const patch = JSON.stringify({ metadata });
  await kubectl(["patch", "release", "shop", "-n", namespace, "--type=merge", "-p", patch]);
  await harness.remove("shop");
  expect(await versionOf("configmap", theirs)).toBe(forged);
  await removeForged("configmap", theirs);
});
