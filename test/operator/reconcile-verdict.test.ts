import { describe, expect, test } from "vitest";
import type { Verdict } from "../../crds/kind-context.ts";
import { batch } from "../fakes/batch-kind.ts";
import { aBatch, finishRun, isJob } from "../fakes/batches.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

/** A batch whose Job has failed, judged by a verdict. */
async function judged(verdict: Verdict | undefined): Promise<ReconcileBench> {
  const bench = new ReconcileBench({ kind: { ...batch, verdict: () => verdict }, resource: aBatch(1) });
  // Failed without a time: for the record it has not ended.
  bench.cluster.rewrite = (object) =>
    isJob(object) ? { ...object, status: { conditions: [{ type: "Failed", status: "True" }] } } : object;
  await bench.reconcile();
  return bench;
}

describe("a reconcile of a kind with a verdict", () => {
  test.for([
    { status: "Current", healthy: "True Healthy", ready: "True Reconciled" },
    { status: "InProgress", healthy: "False Progressing", ready: "False Progressing" },
    { status: "Suspended", healthy: "True Suspended", ready: "True Reconciled" },
    { status: "Failed", healthy: "False Failed", ready: "False Failed" },
  ] as const)("has the health of the verdict $status", async ({ status, healthy, ready }) => {
    const bench = await judged({ status, message: "judged" });
    expect([bench.condition("Healthy"), bench.condition("Ready")]).toEqual([healthy, ready]);
  });

  test("has the health of its worst object without a verdict", async () => {
    const bench = await judged(undefined);
    expect(bench.condition("Healthy")).toBe("False Failed");
  });

  test("uses the record that was just written", async () => {
    const bench = new ReconcileBench({ kind: batch, resource: aBatch(1) });
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("False Progressing");
    finishRun(bench, 0);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("True Healthy");
    expect(bench.resource.status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ message: "1 of 1 runs are over" })]),
    });
  });
});
