import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { BoundKind, ChartProps } from "../../crds/binding.ts";
import { Job } from "../../crds/core-kinds.ts";
import type { Verdict } from "../../crds/kind-context.ts";
import { ObjectRejectedError } from "../../operator/errors.ts";
import { batch } from "../fakes/batch-kind.ts";
import { aBatch, finishRun } from "../fakes/batches.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

/** A batch whose Jobs are created once, and judged by a verdict. */
function onceBatch(verdict = batch.verdict): BoundKind<Construct> {
  const childRules = [{ kind: Job, lifetime: "once", publish: false, keep: undefined } as const];
  return { ...batch, childRules, retire: undefined, verdict };
}

/** One of a single run, whose Job has just ended. */
async function ended(kind: BoundKind<Construct>): Promise<ReconcileBench> {
  const bench = new ReconcileBench({ kind, resource: aBatch(1) });
  await bench.reconcile();
  bench.takeRequests();
  finishRun(bench, 0);
  return bench;
}

/** Makes the Jobs of all runs so far. */
class GrowingChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { record }: ChartProps<unknown, { readonly record: { readonly finished: number } }>,
  ) {
    super(scope, id);
    for (let run = 0; run <= Math.min(1, record.finished); run++)
      new ApiObject(this, `job-${run}`, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: `web-${run}` },
      });
  }
}

interface Written {
  readonly finished: number;
  readonly observedGeneration: number;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

const appliedIn = ({ conditions }: Written) => conditions.find(({ type }) => type === "Applied")?.message;

/** A batch whose first Job has just ended, and the statuses that are written from now on. */
async function watched(resource: ReturnType<typeof aBatch>) {
  const bench = new ReconcileBench({ kind: { ...onceBatch(), chart: GrowingChart as never }, resource });
  await bench.reconcile();
  finishRun(bench, 0);
  const written: Written[] = [];
  bench.cluster.rewrite = (object) => {
    if (object.kind === "Batch") written.push(object["status"] as Written);
    return object;
  };
  return { bench, written };
}

describe("a new record of a kind whose objects are created once", () => {
  test("is written together with the status that follows from it", async () => {
    const bench = await ended(onceBatch());
    expect(bench.condition("Ready")).toBe("False Progressing");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.resource.status).toMatchObject({ finished: 1, phase: "Finished" });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("is also written together with the first status, if there is nothing to apply", async () => {
    const record = { fields: ["finished"], fold: () => ({ finished: 1 }) };
    const bench = new ReconcileBench({ kind: { ...onceBatch(), record }, resource: aBatch(1) });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("is written separately if an object has to be applied first", async () => {
    const bench = new ReconcileBench({ kind: onceBatch(), resource: aBatch(2) });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web", "apply Job/web-0", "status Batch/web"]);
  });

  test("does not report objects as applied before they are", async () => {
    const { bench, written } = await watched(aBatch(3));
    await bench.reconcile();
    expect(written.map(({ finished }) => finished)).toEqual([1, 1]);
    expect(written.map(appliedIn)).toEqual(["Applied 1 object", "Applied 2 objects"]);
  });

  test("does not acknowledge an edit at the same time", async () => {
    const { bench, written } = await watched(aBatch(1));
    bench.edit({ ...bench.resource, metadata: { ...bench.resource.metadata, generation: 2 } });
    await bench.reconcile();
    expect(written.map(({ observedGeneration }) => observedGeneration)).toEqual([1, 2]);
  });

  test("reports the change of the verdict", async () => {
    const failed = (state: { readonly record: unknown }): Verdict =>
      (state.record as { readonly finished: number }).finished === 1
        ? { status: "Failed", message: "it was wrong" }
        : { status: "InProgress", message: "it runs" };
    const bench = await ended(onceBatch(failed));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web"]);
    expect(bench.events).toMatchObject([{ type: "Warning", reason: "Failed", note: "it was wrong" }]);
  });

  test("is written separately while objects are not applied", async () => {
    let finished = 0;
    const record = { fields: ["finished"], fold: () => ({ finished }) };
    const bench = new ReconcileBench({ kind: { ...onceBatch(), record }, resource: aBatch(3) });
    bench.cluster.refuse("apply Job/web-0", new ObjectRejectedError("batch/Job/shop/web-0", "too large"));
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
    bench.takeRequests();
    finished = 1;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web", "apply Job/web-1", "status Batch/web"]);
    expect(bench.condition("Applied")).toBe("True Applied");
  });
});

describe("a brief verdict", () => {
  const over = "2026-01-01T00:00:02Z";
  const brief = (): BoundKind<Construct> =>
    aGadgetKind({
      children: [],
      verdict: ({ clock }) => ({ status: "InProgress", message: "it moves", isBrief: !clock.reached(over) }),
    });

  test("is not written before the instant that the kind requested", async () => {
    const bench = new ReconcileBench({ kind: brief() });
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_000 });
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.condition("Ready")).toBe("False Progressing");
  });

  test("does not delay the status of an edited spec", async () => {
    const bench = new ReconcileBench({ kind: brief() });
    bench.deliver(bench.cluster.put({ ...bench.resource, status: { observedGeneration: 1 } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    bench.edit({ ...bench.resource, metadata: { ...bench.resource.metadata, generation: 2 } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
  });

  test("does not delay a failure", async () => {
    const kind = { ...brief(), children: aGadgetKind().children };
    const bench = new ReconcileBench({ kind, resource: { spec: { objects: [aConfigMap("one")] } } });
    bench.cluster.refuse("apply ConfigMap/one", new ObjectRejectedError("/ConfigMap/shop/one", "too large"));
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False ApplyRejected");
  });
});
