import { describe, expect, test } from "vitest";
import { reducePod, toLiveObject } from "../../../operator/cluster/live-object.ts";

const raw = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "3" },
  data: { a: "1" },
};

describe("toLiveObject()", () => {
  test.for([
    {
      does: "owned by an Apply entry of the operator's manager",
      entry: { manager: "fairlead", operation: "Apply" },
      ours: true,
    },
    {
      does: "not owned by an Update entry",
      entry: { manager: "fairlead", operation: "Update" },
      ours: false,
    },
    {
      does: "not owned by an Apply entry on a subresource",
      entry: { manager: "fairlead", operation: "Apply", subresource: "status" },
      ours: false,
    },
    {
      does: "not owned by the entry of another manager",
      entry: { manager: "kubectl", operation: "Apply" },
      ours: false,
    },
  ])("$does", ({ entry, ours }) => {
    const metadata = { ...raw.metadata, managedFields: [entry] };
    expect(toLiveObject({ ...raw, metadata })).toEqual({ ...raw, ours });
  });

  test("keeps the fields that resources have set without owning the object, by field manager, and the last time", () => {
    const entry = (manager: string, more: object = {}) => ({
      manager,
      operation: "Apply",
      fieldsV1: { "f:data": { [`f:${manager}`]: {} } },
      ...more,
    });
    const managedFields = [
      entry("fairlead/naps.example.dev/shop/a", { time: "2026-11-23T12:00:00Z" }),
      entry("fairlead/naps.example.dev/shop/b", { time: "2026-11-23T11:00:00Z" }),
      entry("fairlead/naps.example.dev/shop/c", { operation: "Update", time: "2026-11-23T13:00:00Z" }),
      entry("fairlead/naps.example.dev/shop/d", { subresource: "scale" }),
      entry("fairlead-other"),
      entry("kubectl"),
    ];
    const once = toLiveObject({ ...raw, metadata: { ...raw.metadata, managedFields } });
    expect(once).toEqual({
      ...raw,
      ours: false,
      addedFields: {
        "fairlead/naps.example.dev/shop/a": { "f:data": { "f:fairlead/naps.example.dev/shop/a": {} } },
        "fairlead/naps.example.dev/shop/b": { "f:data": { "f:fairlead/naps.example.dev/shop/b": {} } },
      },
      addedAt: "2026-11-23T12:00:00Z",
    });
    expect(toLiveObject(once)).toEqual(once);
  });

  test("drops kubectl's copy of the manifest and keeps other annotations", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", "shop/owner": "me" };
    const live = toLiveObject({ ...raw, metadata: { ...raw.metadata, annotations } });
    expect(live.metadata.annotations).toEqual({ "shop/owner": "me" });
  });

  test("adds apiVersion and kind to items of a list", () => {
    const { apiVersion, kind, ...item } = raw;
    expect(toLiveObject(item, { apiVersion, kind })).toEqual({ ...raw, ours: false });
  });

  test("changes nothing the second time", () => {
    const metadata = { ...raw.metadata, managedFields: [{ manager: "fairlead", operation: "Apply" }] };
    const once = toLiveObject({ ...raw, metadata });
    expect(toLiveObject(once)).toEqual(once);
  });

  test("refuses a value that is not an object", () => {
    expect(() => toLiveObject({ kind: "Status" })).toThrow("it has no name");
  });
});

describe("reducePod()", () => {
  test("keeps the fields that health and status use", () => {
    const pod = toLiveObject({
      ...raw,
      kind: "Pod",
      spec: { nodeName: "n1", restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
      status: {
        phase: "Running",
        qosClass: "BestEffort",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [{ name: "c", ready: true, imageID: "long", state: { running: {} } }],
      },
    });
    expect(reducePod(pod)).toMatchObject({
      spec: { nodeName: "n1", restartPolicy: "Never" },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [{ name: "c", ready: true, state: { running: {} } }],
      },
    });
    expect(JSON.stringify(reducePod(pod))).not.toMatch(/image|qosClass/);
  });

  test("keeps the ephemeral containers that others or this operator have added", () => {
    const ephemeralContainers = [{ name: "shell", image: "busybox", command: ["sh"] }];
    const pod = toLiveObject({ ...raw, kind: "Pod", spec: { containers: [], ephemeralContainers } });
    expect(reducePod(pod)["spec"]).toEqual({ ephemeralContainers });
  });
});
