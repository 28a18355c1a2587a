import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { fence } from "./fenced.ts";
import { aNamespace, applyObjects, eventually, kubectlJson } from "./fixture.ts";
import { startOperator } from "./operator.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { aRepository } from "./repository.ts";
import { applySamples, untilSamplesReady } from "./sample-set.ts";

const next = join(import.meta.dirname, "upgraded-program.ts");

interface Child extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly uid: string; readonly name: string };
}

/** What the samples' resources own, pods among it, by kind and name. */
async function uidsIn(namespace: string, types: string): Promise<Record<string, string>> {
  const { items } = await kubectlJson<{ readonly items: readonly Child[] }>(["get", types, "-n", namespace]);
  return Object.fromEntries(items.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid]));
}

test("an upgrade whose charts set one more label applies every object once, and replaces nothing", async () => {
  // Given the samples, converged, and an Echo that was edited there and back
  const namespace = await aNamespace();
  const fenced = await fence(namespace);
  const pod = await fenced.aPod("operator-1");
  const repository = aRepository();
  const start = (program?: string) =>
    startOperator({
      args: [`--namespace=${namespace}`, ...repository.args, ...fenced.args],
      kubeconfigPath: pod.kubeconfigPath,
      environment: pod.environment,
      ...(program && { program }),
    });
  const samples = await applySamples(namespace);
  const before = await start();
  await untilSamplesReady(samples);
  await eventually(() => repository.files(`${namespace}/`).length === 6, { what: "all of it is published" });
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
  expect(Object.keys(uids).filter((name) => !name.startsWith("Pod "))).toHaveLength(6);

  // When the next version starts
  const upgraded = new Date();
  const after = await start(next);
  await eventually(async () => (await labelled(namespace, children)) === 6, {
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
  await sleep(2_000);
  await after.stop();

  // Then every object was applied once, and is the one that it was, each pod included
  const writes = (await pod.requests(upgraded)).filter(isWrite).map(lineOf);
  const applies = writes.filter((line) => /^patch (jobs|cronjobs|deployments|services) \S+ 200$/.test(line));
  expect(applies).toHaveLength(6);
  expect(new Set(applies).size).toBe(6);
  expect(
    writes.filter(
      (line) => !applies.includes(line) && !/^patch \w+\/status|create events|update leases/.test(line),
    ),
  ).toEqual([]);
  expect(await uidsIn(namespace, `${children},pods`)).toEqual(uids);

  // And the start after it has nothing to do
  const again = new Date();
  await start(next);
  await eventually(async () => (await pod.requests(again)).some(({ verb }) => verb === "get"), {
    what: "it asks",
  });
  await sleep(3_000);
  const anew = (await pod.requests(again)).filter(isWrite).map(lineOf);
  expect(anew.filter((line) => !line.startsWith("update leases"))).toEqual([]);
});

async function labelled(namespace: string, types: string): Promise<number> {
  const selector = "--selector=stories.fairlead.dev/version=next";
  const list = await kubectlJson<{ readonly items: readonly unknown[] }>([
    "get",
    types,
    "-n",
    namespace,
    selector,
  ]);
  return list.items.length;
}
