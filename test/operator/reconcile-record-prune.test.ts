import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { Batch, batch } from "../fakes/batch-kind.ts";
import { aBatch, finishRun } from "../fakes/batches.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { limitRuns } from "../long.ts";

describe("objects that a new record removes", () => {
  /** A batch whose last Job has ended. */
  async function finished(): Promise<ReconcileBench> {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(1) });
    await bench.reconcile();
    finishRun(bench, 0);
    bench.takeRequests();
    return bench;
  }

  test("are deleted without an edit of the resource", async () => {
    const bench = await finished();
    await bench.reconcile();
    expect(bench.takeRequests()).toContain("delete Job/web-0");
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("are deleted if the operator ended right after it wrote the record", async () => {
    const bench = await finished();
    bench.cluster.refuse("delete Job/web-0", new ApiUnavailableError("killed", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("killed");
    await bench.reconcile();
    expect(bench.takeRequests()).toContain("delete Job/web-0");
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("are kept until their deletion is approved if the chart changed and the record did not", async () => {
    let isUpgraded = false;
    class Upgraded extends Chart {
      constructor(scope: Construct, id: string) {
        super(scope, id);
        if (isUpgraded) return;
        new ApiObject(this, "job", { apiVersion: "batch/v1", kind: "Job", metadata: { name: "web-0" } });
      }
    }
    const bench = new ReconcileBench({ kind: { ...batch, chart: Upgraded }, resource: aBatch(1) });
    await bench.reconcile();
    isUpgraded = true;
    bench.synthesizer.forget(bench.resource.metadata.uid);
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("False PruneHeld");
  });
});

test("a run that is interrupted at any write counts each Job once, and creates it once", async () => {
  const writes = ["status Batch/web", "delete Job/web-0", "delete Job/web-1", "apply Job/web-1", "none"];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...writes), { maxLength: 12 }), async (cuts) => {
      const bench = new ReconcileBench({ kind: batch, resource: aBatch(2) });
      for (const cut of [...cuts, ...Array.from({ length: 8 }, () => "none")]) {
        bench.cluster.refuse(cut, new ApiUnavailableError("killed", { status: 0 }));
        await bench.reconcile().catch(() => undefined);
        bench.cluster.accept(cut);
        // A new process knows only what is in the cluster.
        bench.synthesizer.forget(bench.resource.metadata.uid);
        const { finished = 0 } = (bench.resource.status ?? {}) as { readonly finished?: number };
        finishRun(bench, finished);
      }
      expect(bench.resource.status).toMatchObject({ finished: 2, finishedAt: "2026-01-01T00:00:01Z" });
      expect(bench.cluster.created.filter((name) => name.startsWith("Job/"))).toEqual([
        "Job/web-0",
        "Job/web-1",
      ]);
    }),
    { numRuns: limitRuns(50) },
  );
});

test("the record is in the schema of the kind's status", () => {
  expect(Object.keys(Batch.status.shape)).toEqual(expect.arrayContaining(batch.record?.fields.slice() ?? []));
});
