import { describe, expect, test } from "vitest";
import { Pod } from "../../crds/core-kinds.ts";
import type { LiveObject, ObjectMeta } from "../../crds/object.ts";
import { RUN_FINALIZER } from "../../operator/engine/run-finalizer.ts";
import { ApiUnavailableError, ReplacedError } from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { attempt } from "../fakes/attempt-kind.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";
const deleted = { deletionTimestamp, deletionGracePeriodSeconds: 0 };
const spec = { image: "busybox" };

/** An Attempt whose pod was created. */
async function started(kind = attempt) {
  const bench = new ReconcileBench({ kind, resource: { spec } });
  await bench.reconcile();
  const requests = bench.takeRequests();
  const pod = (): LiveObject => bench.live("Pod", "web") ?? expect.fail("no pod");
  return {
    bench,
    requests,
    pod,
    /** The kubelet or a user changes the pod, and the watch reports it. */
    change: (status: object, metadata: Partial<ObjectMeta> = {}) => {
      const before = pod();
      const next = { ...before, status, metadata: { ...before.metadata, ...metadata } };
      bench.deliver(bench.cluster.put(next));
    },
    /** A reconcile, and its requests. */
    run: async () => {
      const result = await bench.reconcile();
      return { result, requests: bench.takeRequests() };
    },
    edit: (more: object) => bench.edit(aResource(kind, { spec: { ...spec, ...more }, generation: 2 })),
  };
}

describe("a run of a kind with a record", () => {
  test("is created with a finalizer, which no later reconcile changes", async () => {
    const { bench, pod, run } = await started();
    expect(pod().metadata.finalizers).toEqual([RUN_FINALIZER]);
    expect((await run()).requests).toEqual([]);
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("keeps the finalizers that the chart sets", async () => {
    const runs = aGadgetKind({ children: [{ kind: Pod, lifetime: "run" }] });
    const kind = { ...runs, record: { fields: [], fold: () => ({}) }, hasContext: true };
    const objects = [
      { apiVersion: "v1", kind: "Pod", metadata: { name: "web", finalizers: ["example.dev/x"] } },
    ];
    const bench = new ReconcileBench({ kind, resource: { spec: { objects } } });
    await bench.reconcile();
    expect(bench.live("Pod", "web")?.metadata.finalizers).toEqual(["example.dev/x", RUN_FINALIZER]);
  });

  test("is released when its outcome is recorded, and not before", async () => {
    const { bench, pod, change, run } = await started();
    change({ phase: "Running" });
    expect((await run()).requests).toEqual([]);
    change({ phase: "Succeeded" });
    expect((await run()).requests).toEqual(["status Attempt/web", "metadata Pod/web", "status Attempt/web"]);
    expect(bench.resource.status).toMatchObject({ outcome: "Succeeded" });
    expect(pod().metadata.finalizers).toEqual([]);
    expect(bench.explain()).toMatchObject({
      did: ["release Pod shop/web: its outcome is recorded, or no longer needed"],
    });
    expect((await run()).requests).toEqual([]);
  });

  test("that ended and was deleted while no operator ran is recorded, and does not run again", async () => {
    const { bench, pod, change, run } = await started();
    change({ phase: "Failed" }, deleted);
    expect((await run()).requests.slice(0, 2)).toEqual(["status Attempt/web", "metadata Pod/web"]);
    bench.vanish(pod());
    expect((await run()).requests.filter((request) => !request.startsWith("status"))).toEqual([]);
    expect(bench.resource.status).toMatchObject({ outcome: "Failed" });
  });

  test("that is being deleted is released when only finalizers block that", async () => {
    const { bench, change, run } = await started();
    change({ phase: "Running" }, { ...deleted, deletionGracePeriodSeconds: 30 });
    expect((await run()).requests).not.toContain("metadata Pod/web");
    change({ phase: "Running" }, deleted);
    expect((await run()).requests).toContain("metadata Pod/web");
    expect(bench.resource.status).toMatchObject({ outcome: "Deleted" });
  });

  test("is released after the next reconcile if the operator deletes it itself", async () => {
    const { bench, edit, run, pod } = await started();
    bench.cluster.lingers = ({ kind }) => kind === "Pod";
    edit({ isStopped: true });
    // No event reports our own deletion.
    const { requests, result } = await run();
    expect(requests).toContain("delete Pod/web");
    expect(result).toEqual({ requeueAfterMs: 1 });
    expect((await run()).requests).toContain("metadata Pod/web");
    expect(pod().metadata.finalizers).toEqual([]);
    bench.vanish(pod());
    expect((await run()).result).toEqual({});
  });

  test("keeps its protection while the record cannot be computed", async () => {
    const fold = () => {
      throw new Error("no such image");
    };
    const { pod, change, run } = await started();
    const broken = await started({ ...attempt, record: { fields: ["outcome"], fold } });
    change({ phase: "Succeeded" });
    broken.bench.deliver(broken.bench.cluster.put(pod()));
    const { requests, result } = await broken.run();
    expect(requests).not.toContain("metadata Pod/web");
    expect(result).toEqual({});
    expect((await run()).requests).toContain("metadata Pod/web");
  });

  test("of an earlier resource of the same name is released in every state", async () => {
    const { bench, change, run } = await started();
    const { resource } = bench;
    bench.deliver(bench.cluster.put({ ...resource, metadata: { ...resource.metadata, uid: "another" } }));
    change({ phase: "Running" });
    expect((await run()).requests).toContain("metadata Pod/web");
  });

  test("is released when its resource is being deleted", async () => {
    const { bench, pod, run } = await started();
    const { resource } = bench;
    bench.edit({ ...resource, metadata: { ...resource.metadata, deletionTimestamp } });
    expect((await run()).requests).toEqual(["metadata Pod/web"]);
    expect(pod().metadata.finalizers).toEqual([]);
  });

  test("is released when its resource no longer exists, after one read", async () => {
    const { bench, pod, run } = await started();
    bench.vanish(bench.resource);
    expect((await run()).requests).toEqual(["read Attempt/web", "metadata Pod/web"]);
    expect(pod().metadata.finalizers).toEqual([]);
    expect((await run()).requests).toEqual([]);
  });

  test("is not released when only the local copy of its resource is missing", async () => {
    const { bench, run } = await started();
    const { resource } = bench;
    bench.vanish(resource);
    bench.cluster.objects.set(idOf(resource), resource);
    expect((await run()).requests).toEqual(["read Attempt/web"]);
  });

  test("whose release is forbidden sets a condition to False", async () => {
    const { bench, change } = await started();
    change({ phase: "Succeeded" });
    bench.cluster.refuse("metadata Pod/web", new ApiUnavailableError("may not patch pods", { status: 403 }));
    await expect(bench.reconcile()).rejects.toThrow("may not patch pods");
    expect(bench.condition("Applied")).toBe("False ApplyFailed");
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("that changes while it is released is left to the reconcile of that change", async () => {
    const { bench, pod, change, run } = await started();
    change({ phase: "Succeeded" });
    bench.cluster.refuse("metadata Pod/web", new ReplacedError("/Pod/shop/web"));
    expect((await run()).result).toEqual({});
    expect(pod().metadata.finalizers).toEqual([RUN_FINALIZER]);
    change({ phase: "Succeeded", reason: "x" });
    expect((await run()).requests).toContain("metadata Pod/web");
  });

  test("is not protected by a kind without a record, and is released if an earlier version protected it", async () => {
    const kind = aGadgetKind({ children: [{ kind: Pod, lifetime: "run" }] });
    const objects = [{ apiVersion: "v1", kind: "Pod", metadata: { name: "web" } }];
    const bench = new ReconcileBench({ kind, resource: { spec: { objects } } });
    await bench.reconcile();
    const pod = bench.live("Pod", "web") ?? expect.fail("no pod");
    expect(pod.metadata.finalizers).toBeUndefined();
    bench.takeRequests();
    bench.deliver(bench.cluster.put({ ...pod, metadata: { ...pod.metadata, finalizers: [RUN_FINALIZER] } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Pod/web"]);
  });
});
