import { describe, expect, test } from "vitest";
import { toManifests } from "../../../operator/render/to-manifests.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

function problemOf(value: unknown): { message: string; path: readonly unknown[] } | undefined {
  try {
    for (const _ of toManifests(value));
  } catch (error) {
    const { message, path } = error as { message: string; path: readonly unknown[] };
    return { message, path };
  }
  return undefined;
}

describe("toManifests()", () => {
  test("returns an object unchanged", () => {
    const value = {
      ...configMap,
      metadata: { name: "a", namespace: "shop", labels: { a: "b" }, finalizers: ["x/y"] },
      data: { status: "ready" },
    };
    expect([...toManifests(value)]).toEqual([{ manifest: value, path: [], dropped: [] }]);
  });

  test("splits lists, also lists in lists and of one kind", () => {
    const value = {
      apiVersion: "v1",
      kind: "List",
      items: [
        configMap,
        { apiVersion: "v1", kind: "SecretList", items: [{ metadata: { name: "b" } }] },
        { apiVersion: "v1", kind: "List", items: null },
      ],
    };
    expect(
      [...toManifests(value)].map(({ manifest, path }) => [manifest.kind, manifest.metadata.name, path]),
    ).toEqual([
      ["ConfigMap", "a", ["items", 0]],
      ["Secret", "b", ["items", 1, "items", 0]],
    ]);
  });

  test("does not treat an object with a name as a list, for any kind", () => {
    const value = { apiVersion: "example.com/v1", kind: "AllowList", metadata: { name: "a" }, items: ["x"] };
    expect([...toManifests(value)].map(({ manifest }) => manifest)).toEqual([value]);
  });

  test("removes fields that the cluster decides, with a warning", () => {
    const value = {
      ...configMap,
      metadata: {
        name: "a",
        generateName: "a-",
        uid: "1",
        resourceVersion: "2",
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [{}],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", keep: "me" },
      },
      status: { ready: true },
    };
    const [found] = toManifests(value);
    expect(found?.manifest).toEqual({ ...configMap, metadata: { name: "a", annotations: { keep: "me" } } });
    expect(found?.dropped).toEqual([
      "metadata.generateName",
      "metadata.uid",
      "metadata.resourceVersion",
      "metadata.creationTimestamp",
      "metadata.managedFields",
      "the annotation kubectl.kubernetes.io/last-applied-configuration",
      "status",
    ]);
  });

  test("removes fields that generators write, without a warning", () => {
    const value = {
      ...configMap,
      metadata: { name: "a", namespace: "", creationTimestamp: null, labels: null, annotations: null },
      status: {},
    };
    expect([...toManifests(value)]).toEqual([{ manifest: configMap, path: [], dropped: [] }]);
  });

  test.for([
    {
      what: "text",
      value: "x",
      says: "expected an object with apiVersion, kind and metadata, found text",
      path: [],
    },
    {
      what: "a list",
      value: [],
      says: "expected an object with apiVersion, kind and metadata, found a list",
      path: [],
    },
    {
      what: "no apiVersion",
      value: { a: 1 },
      says: "apiVersion: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
      path: [],
    },
    {
      what: "no kind",
      value: { apiVersion: "v1" },
      says: "kind: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
      path: [],
    },
    {
      what: "a number as apiVersion",
      value: { ...configMap, apiVersion: 1 },
      says: "apiVersion: expected text, found a number; put it in quotes",
      path: ["apiVersion"],
    },
    {
      what: "a wrong apiVersion",
      value: { ...configMap, apiVersion: "a/b/c" },
      says: 'apiVersion: "a/b/c" is not a valid apiVersion',
      path: ["apiVersion"],
    },
    {
      what: "a wrong kind",
      value: { ...configMap, kind: "Config/Map" },
      says: 'kind: "Config/Map" is not a valid kind',
      path: ["kind"],
    },
    {
      what: "no metadata",
      value: { apiVersion: "v1", kind: "A" },
      says: "metadata: expected an object with a name, found nothing",
      path: [],
    },
    {
      what: "no name",
      value: { ...configMap, metadata: {} },
      says: "metadata.name: is missing",
      path: ["metadata"],
    },
    {
      what: "a number as a name",
      value: { ...configMap, metadata: { name: 5 } },
      says: "metadata.name: expected text, found a number; put it in quotes",
      path: ["metadata", "name"],
    },
    {
      what: "a name that is a path",
      value: { ...configMap, metadata: { name: "../x" } },
      says: 'metadata.name: "../x" is not a valid name',
      path: ["metadata", "name"],
    },
    {
      what: "a name with a line end",
      value: { ...configMap, metadata: { name: "a\nb" } },
      says: 'metadata.name: "a\\u{a}b" is not a valid name',
      path: ["metadata", "name"],
    },
    {
      what: "a generated name",
      value: { ...configMap, metadata: { generateName: "a-" } },
      says: "metadata.generateName: an object needs a fixed name; set metadata.name",
      path: ["metadata", "generateName"],
    },
    {
      what: "a wrong namespace",
      value: { ...configMap, metadata: { name: "a", namespace: "A" } },
      says: 'metadata.namespace: "A" is not a valid namespace',
      path: ["metadata", "namespace"],
    },
    {
      what: "a label that is not text",
      value: { ...configMap, metadata: { name: "a", labels: { "a/b": 1.5 } } },
      says: 'metadata.labels["a/b"]: expected text, found a number; put it in quotes',
      path: ["metadata", "labels", "a/b"],
    },
    {
      what: "labels that are not a map",
      value: { ...configMap, metadata: { name: "a", labels: ["x"] } },
      says: "metadata.labels: expected a map of texts, found a list",
      path: ["metadata", "labels"],
    },
    {
      what: "owner references",
      value: { ...configMap, metadata: { name: "a", ownerReferences: [{ uid: "1" }] } },
      says: "metadata.ownerReferences: the owner creates this object; remove the object or its owner references",
      path: ["metadata", "ownerReferences"],
    },
    {
      what: "what SOPS encrypted",
      value: { ...configMap, sops: { mac: "x" } },
      says: "is encrypted with SOPS, which is not decrypted here; see docs/release-manifests.md#files-of-other-tools",
      path: ["sops"],
    },
    {
      what: "items that are not a list",
      value: { apiVersion: "v1", kind: "List", items: {} },
      says: "items: expected a list, found a map",
      path: ["items"],
    },
    {
      what: "an invalid object in a list",
      value: { apiVersion: "v1", kind: "List", items: [configMap, { ...configMap, metadata: {} }] },
      says: "metadata.name: is missing",
      path: ["items", 1, "metadata"],
    },
  ])("refuses $what", ({ value, says, path }) => {
    expect(problemOf(value)).toEqual({ message: says, path });
  });
});
