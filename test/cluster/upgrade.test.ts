import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { FakeGitRemote } from "../fakes/git-remote.ts";
import { fence } from "./fenced.ts";
import { applyObjects, eventually, kubectlJson } from "./fixture.ts";
import { aHarness } from "./harness.ts";
import { buildOf, missingBecause } from "./older-build.ts";
import { isWork, isWrite, lineOf } from "./operator-user.ts";
import { metricsArgument, untilReconciled } from "./reconciled.ts";
import { aRepository } from "./repository.ts";
import { applySamples, samplesIn, untilSamplesReady } from "./sample-set.ts";
import { UpgradeFixture } from "./upgrade-fixture.ts";
import { deployerIn, fillSource, releasesOf } from "./upgrade-releases.ts";

const today = join(import.meta.dirname, "../../cli/fairlead.js");
const next = join(import.meta.dirname, "upgraded-program.ts");

interface Child extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string; readonly name: string };
}

/** The objects of the samples' resources, with pods, by kind and name. */
async function uidsIn(namespace: string, types: string): Promise<Record<string, string>> {
  const { items } = await kubectlJson<{ readonly items: readonly Child[] }>(["get", types, "-n", namespace]);
  return Object.fromEntries(items.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid]));
}

test("an upgrade whose charts set one more label applies every object once, and replaces nothing", async () => {
  // Given the converged samples, and an Echo that was edited and reverted
  const { namespace, repository, ...harness } = await aHarness();
  const fenced = await fence(namespace);
  const pod = await fenced.aPod("operator-1");
  const start = (program?: string) =>
    harness.start([metricsArgument, ...fenced.args], { ...pod, ...(program && { program }) });
  const samples = await applySamples(namespace);
  const before = await start();
  await untilSamplesReady(samples);
  await eventually(() => repository.files(`${namespace}/`).length === 7, { what: "all of it is published" });
  await before.stop();
  const echo = samples.find(({ kind }) => kind === "Echo");
  if (echo === undefined) throw new Error("there is no Echo");
  await applyObjects({ ...echo, spec: { message: "something else" } });
  await applyObjects(echo);
  const between = await start();
  await untilSamplesReady(samples);
  await between.stop();
  const children = "jobs,cronjobs,deployments,services";
  const uids = await uidsIn(namespace, `${children},pods`);
  expect(Object.keys(uids).filter((name) => !name.startsWith("Pod "))).toHaveLength(7);

  // When the next version starts
  const upgraded = new Date();
  const after = await start(next);
  await eventually(async () => (await labelled(namespace, children)) === 7, {
    what: "every child has the label",
  });
  await untilSamplesReady(samples);
  await eventually(
    () =>
      repository
        .files(`${namespace}/`)
        .every((path) => repository.read(path).includes("fairlead.dev/version: next")),
    { what: "the repository has the label" },
  );
  await untilReconciled(after, samples.length);
  await after.stop();

  // Then every object was applied once, and was not replaced, including each pod
  const writes = (await pod.requests(upgraded)).filter(isWrite).map(lineOf);
  const applies = writes.filter((line) => /^patch (jobs|cronjobs|deployments|services) \S+ 200$/.test(line));
  expect(applies).toHaveLength(7);
  expect(new Set(applies).size).toBe(7);
  expect(
    writes.filter(
      (line) => !applies.includes(line) && !/^patch \w+\/status|create events|update leases/.test(line),
    ),
  ).toEqual([]);
  expect(await uidsIn(namespace, `${children},pods`)).toEqual(uids);

  // And after the next start there is nothing to do
  const again = new Date();
  await untilReconciled(await start(next), samples.length);
  const anew = (await pod.requests(again)).filter(isWrite).map(lineOf);
  expect(anew.filter((line) => !line.startsWith("update leases"))).toEqual([]);
});

async function labelled(namespace: string, types: string): Promise<number> {
  const selector = "--selector=tests.fairlead.dev/version=next";
  const list = await kubectlJson<{ readonly items: readonly unknown[] }>([
    "get",
    types,
    "-n",
    namespace,
    selector,
  ]);
  return list.items.length;
}

const olderBuilds = [
  {
    commit: "38ead4b",
    what: "the last one with separate engines for kinds and Releases",
    values: ["samples.enabled=true", "releases.requireServiceAccount=false"],
  },
  {
    commit: "902c92a",
    what: "the first one with Releases",
    values: ["releases.enabled=true", "releases.impersonate=true"],
  },
];

describe.each(olderBuilds)("after $commit, $what", async ({ commit, values }) => {
  const missing = await missingBecause(commit);
  if (missing !== undefined) process.stderr.write(`No upgrade is tested: ${missing}\n`);
  let former = "";
  beforeAll(async () => {
    if (missing === undefined) former = await buildOf(commit);
  });

  test("an upgrade writes no object and no commit, and each status at most once", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    // Given kinds and Releases, converged and published by the older build
    const fixture = await UpgradeFixture.start();
    const repository = aRepository();
    const source = new FakeGitRemote();
    onTestFinished(() => source[Symbol.dispose]());
    fillSource(source);
    const cache = `--release-cache=${source.folder}/releases`;
    const args = [...repository.args, "--releases", "--release-file-remotes", cache];
    const installed = [
      "image=example.dev/fairlead:test",
      "repository.url=https://git.example.dev/r.git",
      "releases.kinds=[{resource: namespaces, namespaced: false}]",
    ];
    await fixture.install(former, [...installed, ...values]);
    await fixture.api.apply(["shop", "later"].map(namespaceOf), "test");
    // No older build has Runtimes.
    const samples = samplesIn("shop").filter(({ kind }) => kind !== "Runtime");
    const resources = [...samples, ...releasesOf(source, "shop")];
    await fixture.api.apply([...deployerIn("shop"), ...resources], "test");
    const before = await fixture.run(former, args);
    for (const resource of resources)
      await fixture.untilDone(resource, { publishes: resource.kind !== "Podbuggertool" });
    expect(await before.stop()).toBe(0);

    // When the current build follows it, and has something to do for once
    await fixture.install(today);
    const types = "deployments,replicasets,services,configmaps,jobs,cronjobs,pods";
    const objects = await fixture.objectsOf(types, ["shop", "away"]);
    expect(objects.size).toBeGreaterThan(20);
    const commits = repository.log();
    const upgraded = new Date();
    const after = await fixture.run(undefined, args);
    await untilReconciled(after, resources.length, { sourceLooks: 3 });
    const echo = samplesIn("later").find(({ kind }) => kind === "Echo");
    if (echo === undefined) throw new Error("there is no Echo");
    await fixture.api.apply([echo], "test");
    await fixture.untilDone(echo);
    expect(await after.stop()).toBe(0);

    // Then it did only that, except for a status of each
    const writes = (await fixture.requests(upgraded))
      .filter(isWork)
      .map((request) => `${request.objectRef?.namespace}: ${lineOf(request)}`);
    expect(writes).toContain("later: patch jobs hello-world 201");
    const others = writes.filter((write) => !write.startsWith("later: "));
    expect(others.filter((write) => !/^shop: patch \w+\/status \S+ 200$/.test(write))).toEqual([]);
    expect(new Set(others).size).toBe(others.length);
    expect(await fixture.objectsOf(types, ["shop", "away"])).toEqual(objects);
    const [latest, ...earlier] = repository.log();
    expect(latest?.paths).toEqual(["later/echos.mmontes.io/hello-world/job-hello-world.yaml"]);
    expect(earlier).toEqual(commits);
  });
});

function namespaceOf(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
