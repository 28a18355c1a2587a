import { describe, expect, test } from "vitest";
import { FINALIZER } from "../../operator/engine/finalize.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

const two = { spec: { objects: [aConfigMap("a", { data: { x: "1" } }), aConfigMap("b")] } };

describe("objects that garbage collection cannot reach", () => {
  const outside = {
    spec: { objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "extra" } }] },
  };

  test("cause a finalizer on their resource before they are created", async () => {
    const bench = new ReconcileBench({ resource: outside });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "metadata Gadget/web",
      "apply Namespace/extra",
      "status Gadget/web",
    ]);
    expect(bench.resource.metadata.finalizers).toEqual([FINALIZER]);
  });

  test("are deleted with their resource, before the finalizer is removed", async () => {
    const bench = new ReconcileBench({ resource: outside });
    await bench.reconcile();
    bench.takeRequests();
    const { resource } = bench;
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    bench.edit({
      ...resource,
      metadata: { ...resource.metadata, resourceVersion: "9000", deletionTimestamp },
    });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete Namespace/extra", "metadata Gadget/web"]);
    expect(bench.resource.metadata.finalizers).toEqual([]);
  });

  test("whose deletion is forbidden set a condition of the deleted resource to False", async () => {
    const bench = new ReconcileBench({ resource: outside });
    await bench.reconcile();
    const { resource } = bench;
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    bench.edit({ ...resource, metadata: { ...resource.metadata, deletionTimestamp } });
    const forbidden = new ApiUnavailableError("user may not delete namespaces", { status: 403 });
    bench.cluster.refuse("delete Namespace/extra", forbidden);
    await expect(bench.reconcile()).rejects.toThrow("may not delete namespaces");
    expect(bench.condition("Applied")).toBe("False ApplyFailed");
    await bench.reconcile();
    expect(bench.resource.metadata.finalizers).toEqual([]);
  });

  test("cause no finalizer on a resource without such objects", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    expect(bench.resource.metadata.finalizers).toBeUndefined();
  });
});
