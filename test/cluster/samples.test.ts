import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { easyService, echo, memcached, podSet, runtime, scheduledEcho } from "../../charts/bindings.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject, type OwnerReference } from "../../crds/object.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import { setOf, unstampManifest } from "../../synth/stamp.ts";
import { applyObjects, eventually, kubectl, kubectlJson, readObject } from "./fixture.ts";
import { aHarness, applyResource, type SeenResource, seen, untilGone, untilReady } from "./harness.ts";
import { type ManagedObject, ownedFields } from "./owned-fields.ts";

const root = join(import.meta.dirname, "../..");

/** The samples, an edit of each, and its effect on the child. */
const samples = [
  { kind: echo, file: "echo", edit: { message: "Adiós" }, shows: /Adiós/ },
  {
    kind: scheduledEcho,
    file: "scheduled-echo",
    edit: { message: "Adiós", schedule: "@daily" },
    shows: /(?=.*Adiós).*@daily/,
  },
  { kind: memcached, file: "memcached", edit: { size: 1 }, shows: /"replicas":1/, nodes: 1 },
  {
    kind: easyService,
    file: "easy-service",
    edit: { size: 1, image: "nginx:1.28", ports: [{ port: 80 }] },
    shows: /nginx:1\.28/,
  },
  { kind: podSet, file: "pod-set", edit: { size: 0 }, shows: /"replicas":0/, nodes: 0 },
  {
    kind: runtime,
    file: "runtime",
    edit: { template: { image: "busybox:1.37" }, ttlSeconds: 7_200 },
    shows: /busybox:1\.37/,
  },
].map((sample) => ({ ...sample, title: sample.kind.definition.kind }));

test.for(samples)(
  "the sample $title is applied and published, from its creation to its deletion",
  async ({ kind, file, edit, shows, nodes }) => {
    // Given an operator that has nothing to do yet
    const { namespace, repository, start } = await aHarness();
    await start();
    const sample = sampleOf(file, namespace);
    const { name } = sample.metadata;
    const type = groupKindOf(kind.definition);
    const folder = `${namespace}/${type}/${name}/`;

    // When the sample is applied
    await applyObjects(sample);

    // Then it becomes Ready, with the objects of the reference, field by field
    const resource = await untilReady(kind.definition, namespace, name);
    const golden = goldenOf(file, namespace);
    for (const wanted of golden) await expectExactly(wanted, resource, kind);

    // and one commit adds its files
    const commit = await eventually(() => repository.log()[0], { what: "a commit" });
    const files = golden.map(
      ({ kind: child, metadata }) => `${folder}${child.toLowerCase()}-${metadata.name}.yaml`,
    );
    expect(repository.log()).toHaveLength(1);
    expect(commit.paths.filter((path) => path !== ".fairlead.yaml")).toEqual(files.toSorted());
    for (const [index, path] of files.entries()) {
      expect(parse(repository.read(path))).toEqual(unstampManifest(golden[index] as Manifest));
    }
    await untilPublished(kind, namespace, name, commit.id);

    // When it is edited
    await applyResource(kind.definition, namespace, { ...(sample["spec"] as object), ...edit, name });

    // Then objects and status follow, with exactly one more commit
    const edited = await untilReady(kind.definition, namespace, name);
    expect(edited.status?.observedGeneration).toBe(edited.metadata.generation);
    // The watch on pods may be later than the one on their Deployment.
    const nodesNow = async () => (await seen(kind.definition, namespace, name)).status?.["nodes"];
    if (nodes !== undefined)
      await eventually(async () => expect(await nodesNow()).toHaveLength(nodes), { what: "its nodes" });
    const first = golden[0] as Manifest;
    const followed = await readObject(typeOf(first), first.metadata.name, namespace);
    expect(JSON.stringify(followed?.["spec"])).toMatch(shows);
    const next = await eventually(() => repository.log()[1] && repository.log()[0], {
      what: "another commit",
    });
    expect(JSON.stringify(parse(repository.read(files[0] ?? "")).spec)).toMatch(shows);
    await untilPublished(kind, namespace, name, next.id);
    expect(repository.commits()).toBe(2);

    // When it is deleted
    await kubectl(["delete", type, name, "-n", namespace]);

    // Then its objects are collected and its folder is removed from git
    for (const child of golden) await untilGone(typeOf(child), child.metadata.name, namespace);
    await eventually(() => repository.files(folder).length === 0, { what: "the folder is deleted" });
    expect(repository.commits()).toBe(3);
  },
);

function sampleOf(file: string, namespace: string): Manifest {
  return readObjects(`samples/${file}.yaml`, namespace)[0] as Manifest;
}

function goldenOf(file: string, namespace: string): readonly Manifest[] {
  return readObjects(`test/charts/golden/${file}.yaml`, namespace);
}

/** Node ports are cluster-wide: that of the sample may be in use. */
const nodePort = String(31_100 + Math.floor(Math.random() * 900));

function readObjects(path: string, namespace: string): readonly Manifest[] {
  const text = readFileSync(join(root, path), "utf8")
    .replaceAll("namespace: default", `namespace: ${namespace}`)
    .replaceAll("nodePort: 31002", `nodePort: ${nodePort}`);
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** The child has every field of the golden file, set by the operator, and no other fields of the operator. */
async function expectExactly(
  wanted: Manifest,
  resource: SeenResource,
  { definition }: BoundKind,
): Promise<void> {
  const { name, namespace = "" } = wanted.metadata;
  const live = await kubectlJson<KubernetesObject & ManagedObject>([
    "get",
    typeOf(wanted),
    name,
    "-n",
    namespace,
    "--show-managed-fields",
  ]);
  const ours = ownedFields(live, "fairlead") as Manifest;
  const place = { name, namespace };
  const { apiVersion, kind } = wanted;
  const { labels = {}, ownerReferences } = ours.metadata;
  expect(unstampManifest({ ...ours, apiVersion, kind, metadata: { ...ours.metadata, ...place } })).toEqual(
    unstampManifest(wanted),
  );
  expect(labels[stamps.set]).toBe(setOf(definition, resource));
  const { name: owner, uid } = resource.metadata;
  const reference = { apiVersion: apiVersionOf(definition), kind: definition.kind, name: owner, uid };
  expect(ownerReferences).toEqual<readonly OwnerReference[]>([
    { ...reference, controller: true, blockOwnerDeletion: true },
  ]);
}

function typeOf({ apiVersion, kind }: Manifest): string {
  const [group, version] = apiVersion.split("/");
  return version === undefined ? kind : `${kind}.${version}.${group}`;
}

function untilPublished(
  { definition }: BoundKind,
  namespace: string,
  name: string,
  commit: string,
): Promise<unknown> {
  return eventually(
    async () => (await seen(definition, namespace, name)).status?.published?.commit === commit,
    {
      what: `the status of ${name} names commit ${commit}`,
    },
  );
}
