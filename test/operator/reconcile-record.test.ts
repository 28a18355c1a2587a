import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { BoundKind } from "../../crds/binding.ts";
import { Job } from "../../crds/core-kinds.ts";
import type { BoundRecord } from "../../crds/record.ts";
import { ReplacedError } from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { batch } from "../fakes/batch-kind.ts";
import { aBatch, completed, finishRun, isJob } from "../fakes/batches.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

/** The batch with another fold. */
const folding = (fold: BoundRecord["fold"], fields = ["finished", "finishedAt"]): BoundKind<Construct> => ({
  ...batch,
  record: { fields, fold },
});

describe("a reconcile of a kind with a record", () => {
  test("writes the record before anything is applied, and passes it to the chart", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web", "apply Job/web-0", "status Batch/web"]);
    finishRun(bench, 0);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "status Batch/web",
      "apply Job/web-1",
      "delete Job/web-0",
      "status Batch/web",
    ]);
    expect(bench.resource.status).toMatchObject({
      finished: 1,
      finishedAt: "2026-01-01T00:00:00Z",
      phase: "Running",
    });
  });

  test("writes nothing while the record is the same", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    await bench.reconcile();
    bench.takeRequests();
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual([]);
  });

  test("runs again from the newer resource if that was changed meanwhile", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    bench.cluster.put({ ...bench.resource, metadata: { ...bench.resource.metadata, labels: { a: "b" } } });
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    expect(bench.resource.status).toBeUndefined();
  });

  test("does not run the chart with a record of another spec", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    // Between the write of the record and the chart, an edit arrives.
    bench.cluster.rewrite = (object) => {
      bench.cluster.rewrite = (same) => same;
      queueMicrotask(() => bench.edit(aResource(batch, { ...aBatch(3), generation: 2 })));
      return object;
    };
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply Job/web-0", "status Batch/web"]);
  });

  test("does not plan again with a record of another spec", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    const { name, uid } = bench.resource.metadata;
    const owner = { apiVersion: "example.dev/v1", kind: "Batch", name, uid, controller: true };
    const metadata = { ownerReferences: [owner] };
    // A Job of an earlier operator, which is found by a read; while it is read, an edit arrives.
    bench.cluster.put(
      aLiveObject({ kind: Job, name: "web-0", namespace: "shop", metadata, ours: false, fields: {} }),
    );
    const read = bench.cluster.read.bind(bench.cluster);
    bench.cluster.read = async (ref) => {
      bench.edit(aResource(batch, { ...aBatch(3), generation: 2 }));
      return await read(ref);
    };
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual([
      "status Batch/web",
      "apply Job/web-0",
      "read Job/web-0",
      "take over Job/web-0",
    ]);
  });

  test("does not revert a record that another instance wrote meanwhile", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    bench.cluster.rewrite = (object) => {
      if (!isJob(object)) return object;
      bench.cluster.put({ ...bench.resource, status: { finished: 7, phase: "Finished" } });
      return object;
    };
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    const inCluster = bench.cluster.objects.get(idOf(bench.resource));
    expect(inCluster).toMatchObject({ status: { finished: 7 } });
  });

  test("does nothing for a resource that no longer exists", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
    bench.cluster.objects.clear();
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
  });

  test("runs again at once if what it applied results in another record", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(1) });
    bench.cluster.rewrite = (object) =>
      isJob(object) ? { ...object, status: { conditions: [completed(0)] } } : object;
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 1 });
    expect(await bench.reconcile()).toEqual({});
    expect(bench.resource.status).toMatchObject({ finished: 1 });
  });

  test("refuses a spec that cannot be folded, and keeps the record", async () => {
    let isBroken = false;
    const kind = folding((previous, input) => {
      if (isBroken) throw new Error("no such image");
      return batch.record?.fold(previous, input) ?? {};
    });
    const bench = new ReconcileBench({ kind, resource: aBatch(2) });
    await bench.reconcile();
    bench.takeRequests();
    isBroken = true;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
    expect(bench.resource.status).toMatchObject({ finished: 0 });
  });

  test("an unstable fold is folded once a run, and requests no other run", async () => {
    const kind = folding(({ finished }) => ({ finished: Number(finished ?? 0) + 1 }));
    const bench = new ReconcileBench({ kind, resource: aBatch(100) });
    expect(await bench.reconcile()).toEqual({});
    expect(bench.resource.status).toMatchObject({ finished: 1 });
    expect(await bench.reconcile()).toEqual({});
    expect(bench.resource.status).toMatchObject({ finished: 2 });
    expect(bench.log.messages("warn")).toContain("Record is not stable");
  });

  test("a record that needs several folds is written once", async () => {
    const kind = folding(({ finished }) => ({ finished: Math.min(3, Number(finished ?? 0) + 1) }));
    const bench = new ReconcileBench({ kind, resource: aBatch(100) });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web", "apply Job/web-3", "status Batch/web"]);
  });

  test("a field of the record that the API server does not keep causes no loop", async () => {
    const kind = folding(() => ({ finished: 0, unknown: "x" }), ["finished", "unknown"]);
    const bench = new ReconcileBench({ kind, resource: aBatch(1) });
    bench.cluster.rewrite = (object) => {
      const { unknown: _, ...status } = (object["status"] ?? {}) as Record<string, unknown>;
      return isJob(object) ? object : { ...object, status };
    };
    expect(await bench.reconcile()).toEqual({});
    expect(await bench.reconcile()).toEqual({});
  });

  test("a field that the record no longer has is removed from the status", async () => {
    const kind = folding((_, { resource }) => {
      const { runs } = resource.spec as { readonly runs: number };
      return runs === 1 ? { finished: 0, finishedAt: "2026-01-01T00:00:00Z" } : { finished: 0 };
    });
    const bench = new ReconcileBench({ kind, resource: aBatch(1) });
    await bench.reconcile();
    bench.edit(aResource(kind, { ...aBatch(2), generation: 2 }));
    await bench.reconcile();
    expect(bench.resource.status).not.toHaveProperty("finishedAt");
  });
});
