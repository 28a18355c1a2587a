import { describe, expect, test } from "vitest";
import {
  ApiUnavailableError,
  NamespaceTerminatingError,
  ObjectRejectedError,
} from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { aConfigMap, aGadgetKind, Gadget } from "../fakes/gadget.ts";
import { childOf, ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const two = { spec: { objects: [aConfigMap("a", { data: { x: "1" } }), aConfigMap("b")] } };

describe("a reconcile", () => {
  test("creates the children and writes one status, without a read", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "apply ConfigMap/b", "status Gadget/web"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.events).toEqual([]);
  });

  test("sends nothing when nothing has changed", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    bench.takeRequests();
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual([]);
  });

  test("reverts a field that another manager changed, and reports it in an event", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    bench.takeRequests();
    const child = childOf(bench, "a");
    bench.deliver(
      bench.cluster.put({
        ...child,
        metadata: { ...child.metadata, resourceVersion: "900" },
        data: { x: "2" },
      }),
    );
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a"]);
    expect(childOf(bench, "a")).toMatchObject({ data: { x: "1" } });
    expect(bench.events).toMatchObject([{ type: "Normal", reason: "Restored" }]);
  });

  test("reports only the pruning of an object that an edit removes and adds again", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    const child = childOf(bench, "b");
    bench.edit(
      aResource(bench.kind, { ...two, generation: 2, spec: { objects: two.spec.objects.slice(0, 1) } }),
    );
    await bench.reconcile();
    // As the watch reports it
    bench.lost.note(child, ["shop/web"]);
    bench.edit(aResource(bench.kind, { ...two, generation: 3 }));
    await bench.reconcile();
    expect(childOf(bench, "b")).toBeDefined();
    expect(bench.events).toMatchObject([
      {
        type: "Normal",
        reason: "Pruned",
        note: expect.stringMatching(/^Pruned \S+ shop\/\S+: no longer desired$/),
      },
    ]);
  });

  test("reports the edit that it applied, also when another one was made meanwhile", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.cluster.rewrite = (object) => {
      bench.cluster.rewrite = (same) => same;
      bench.edit(aResource(bench.kind, { ...two, generation: 2 }));
      return object;
    };
    await bench.reconcile();
    expect(bench.resource.metadata.generation).toBe(2);
    expect(bench.resource.status).toMatchObject({ observedGeneration: 1 });
    expect(bench.progress).toEqual(["live shop/web 1"]);
    await bench.reconcile();
    expect(bench.resource.status).toMatchObject({ observedGeneration: 2 });
    expect(bench.progress).toEqual(["live shop/web 1", "live shop/web 2"]);
  });

  test("applies an object only once if the server rewrites it", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.cluster.rewrite = (object) =>
      object.kind === "ConfigMap" ? { ...object, data: { x: "rewritten" } } : object;
    await bench.reconcile();
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("deletes objects that the spec no longer contains, after all others were applied", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    bench.takeRequests();
    bench.edit(aResource(bench.kind, { generation: 2, spec: { objects: [aConfigMap("c")] } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "apply ConfigMap/c",
      "delete ConfigMap/a",
      "delete ConfigMap/b",
      "status Gadget/web",
    ]);
  });

  test("deletes nothing when an apply was refused", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    bench.takeRequests();
    const refused = new ObjectRejectedError("/ConfigMap/shop/c", "data: too long");
    bench.cluster.refuse("apply ConfigMap/c", refused);
    bench.edit(aResource(bench.kind, { generation: 2, spec: { objects: [aConfigMap("c")] } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/c", "status Gadget/web"]);
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
    expect(bench.events).toMatchObject([{ type: "Warning", reason: "ApplyRejected" }]);
  });

  test("does not repeat a refused request until the resource changes or time has passed", async () => {
    const bench = new ReconcileBench({ resource: { spec: { objects: [aConfigMap("c")] } } });
    const refused = new ObjectRejectedError("/ConfigMap/shop/c", "data: too long");
    bench.cluster.refuse("apply ConfigMap/c", refused);
    await bench.reconcile();
    bench.takeRequests();
    // An event of another child
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
    // A change of the resource's annotations
    bench.cluster.refuse("apply ConfigMap/c", refused);
    bench.edit({ ...bench.resource, metadata: { ...bench.resource.metadata, annotations: { again: "1" } } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/c"]);
    await bench.clock.advance(61_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/c", "status Gadget/web"]);
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("does not change an object of another owner", async () => {
    const bench = new ReconcileBench({ resource: two });
    const foreign = {
      ...aConfigMap("a"),
      metadata: { name: "a", namespace: "shop", uid: "theirs", resourceVersion: "5" },
      ours: false,
    };
    bench.cluster.put(foreign);
    const { requeueAfterMs } = await bench.reconcile();
    expect(bench.cluster.objects.get(idOf(foreign))?.metadata.uid).toBe("theirs");
    expect(childOf(bench, "a")).not.toHaveProperty("data");
    expect(bench.condition("Applied")).toBe("False NotOwned");
    expect(bench.events).toMatchObject([{ type: "Warning", reason: "NotOwned" }]);
    expect(requeueAfterMs).toBeGreaterThan(10_000);
  });

  test("adopts an object whose controller is the resource, in place", async () => {
    const bench = new ReconcileBench({ resource: two });
    const { uid, name } = bench.resource.metadata;
    const owner = { apiVersion: bench.resource.apiVersion, kind: "Gadget", name, uid, controller: true };
    const metadata = {
      name: "a",
      namespace: "shop",
      uid: "old",
      resourceVersion: "5",
      ownerReferences: [owner],
    };
    bench.cluster.put({ ...aConfigMap("a"), metadata, ours: false });
    await bench.reconcile();
    expect(childOf(bench, "a")).toMatchObject({ metadata: { uid: "old" }, data: { x: "1" }, ours: true });
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.events).toMatchObject([{ reason: "Adopted" }]);
  });

  test("reports SpecInvalid for a spec that its chart cannot use, and applies nothing", async () => {
    const bench = new ReconcileBench({ resource: { spec: { objects: "none" } } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.condition("Applied")).toBe("False SpecInvalid");
  });

  test("creates nothing for a resource that is being deleted", async () => {
    const bench = new ReconcileBench({ resource: two });
    const { resource } = bench;
    bench.edit({
      ...resource,
      metadata: { ...resource.metadata, resourceVersion: "9", deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("creates nothing in a namespace that is being deleted", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.terminating.add("shop");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("treats a refusal by a terminating namespace as the deletion of the resource, and reports nothing", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.cluster.refuse("apply ConfigMap/a", new NamespaceTerminatingError("shop"));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "apply ConfigMap/b"]);
    expect([...bench.terminating]).toEqual(["shop"]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("reports a refusal by the terminating namespace of an object of a cluster-scoped resource, and retries", async () => {
    const kind = aGadgetKind({ definition: { ...Gadget, namespaced: false } });
    const objects = [{ ...aConfigMap("a"), metadata: { name: "a", namespace: "team" } }];
    const bench = new ReconcileBench({ kind, resource: { spec: { objects }, namespace: null } });
    bench.cluster.refuse("apply ConfigMap/a", new NamespaceTerminatingError("team"));
    await expect(bench.reconcile()).rejects.toThrow("team");
    expect(bench.condition("Applied")).toBe("False ApplyFailed");
  });

  test("throws when the server does not respond, and writes no status about it", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.takeRequests()).not.toContain("status Gadget/web");
  });

  test("reports a missing permission in the status and retries", async () => {
    const bench = new ReconcileBench({ resource: two });
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("patch is forbidden", { status: 403 }));
    await expect(bench.reconcile()).rejects.toThrow("forbidden");
    expect(bench.condition("Applied")).toBe("False ApplyFailed");
  });
});
