import { expect, test } from "vitest";
import { type CustomResource, coreKinds, synthesize } from "../../../../index.ts";
import { benchSet } from "../../../../rig/bench/implementation/bench-set.ts";

const resource: CustomResource = {
  apiVersion: "bench.fairlead.dev/v1alpha1",
  kind: "BenchSet",
  metadata: { name: "cr-1", namespace: "bench-1", uid: "u-1", resourceVersion: "1", generation: 1 },
  ours: false,
  spec: { size: 2 },
};

test("a BenchSet has as many ConfigMaps as its size, with the labels and the data of the Go operator", () => {
  const { manifests } = synthesize(benchSet, resource, { list: () => [], find: () => undefined });
  expect(manifests.map(({ metadata, data }) => [metadata.name, metadata.namespace, data])).toEqual([
    ["cr-1-0", "bench-1", { index: "0" }],
    ["cr-1-1", "bench-1", { index: "1" }],
  ]);
  expect(manifests[0]?.metadata.labels).toMatchObject({ app: "podSet", podSet_cr: "cr-1" });
});

test("the status of a BenchSet names its remaining ConfigMaps, sorted", () => {
  const live = (name: string, deletionTimestamp?: string) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", ours: true },
    metadata: { name, uid: name, resourceVersion: "1", ...(deletionTimestamp && { deletionTimestamp }) },
  });
  const list = (kind: unknown) =>
    kind === coreKinds.ConfigMap ? [live("b"), live("a"), live("c", "now")] : [];
  expect(benchSet.status(resource, { list, find: () => undefined })).toEqual({ nodes: ["a", "b"] });
});
