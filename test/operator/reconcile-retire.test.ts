import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { BoundKind } from "../../crds/binding.ts";
import { FINALIZER } from "../../operator/engine/finalize.ts";
import { ApiUnavailableError, ReplacedError } from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { batch } from "../fakes/batch-kind.ts";
import { aBatch, finishRun } from "../fakes/batches.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const ttl = aBatch(1, { ttlSeconds: 60 });
const argo = { labels: { "argocd.argoproj.io/instance": "shop" } };

/** A batch whose Job had ended at the start of the clock. */
async function finished(resource: object = ttl, kind = batch): Promise<ReconcileBench> {
  const bench = new ReconcileBench({ kind, resource });
  await bench.reconcile();
  finishRun(bench, 0);
  bench.takeRequests();
  return bench;
}

/** A batch whose Job is kept, and that expires after a minute. */
const keeping: BoundKind<Construct> = {
  ...batch,
  record: {
    fields: ["finished", "finishedAt"],
    fold: () => ({ finished: 0, finishedAt: "2026-01-01T00:00:00Z" }),
  },
  retire: ({ clock }) => (clock.reached("2026-01-01T00:01:00Z") ? "its time is over" : undefined),
};

describe("a reconcile of a kind that retires its resources", () => {
  test("deletes the resource at the instant, and not before", async () => {
    const bench = await finished();
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 60_000 });
    bench.takeRequests();
    await bench.clock.advance(59_999);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 1 });
    await bench.clock.advance(1);
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual(["delete Batch/web"]);
    expect(bench.resource).toBeUndefined();
    expect(bench.events.at(-1)).toMatchObject({ reason: "Expired", note: "Deleted: it was over 60 s ago" });
  });

  test("does not delete a resource that was extended meanwhile", async () => {
    const bench = await finished();
    await bench.reconcile();
    await bench.clock.advance(60_000);
    // The watch has not reported it yet.
    const { resource } = bench;
    bench.cluster.put({ ...resource, spec: { ...ttl.spec, ttlSeconds: 3_600 } });
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.cluster.objects.has(idOf(resource))).toBe(true);
  });

  test("reports in a condition that it may not delete the resource, and tries again", async () => {
    const bench = await finished();
    await bench.reconcile();
    await bench.clock.advance(60_000);
    const forbidden = new ApiUnavailableError("user may not delete batches", { status: 403 });
    bench.cluster.refuse("delete Batch/web", forbidden);
    await expect(bench.reconcile()).rejects.toThrow("may not delete");
    expect(bench.condition("Applied")).toBe("False ApplyFailed");
    expect(bench.condition("Ready")).toBe("False ApplyFailed");
    await bench.reconcile();
    expect(bench.takeRequests().at(-1)).toBe("delete Batch/web");
    expect(bench.resource).toBeUndefined();
  });

  test("waits for a resource that exists until its finalizers are removed", async () => {
    const bench = await finished();
    await bench.reconcile();
    await bench.clock.advance(60_000);
    bench.cluster.lingers = () => true;
    bench.takeRequests();
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete Batch/web"]);
    expect(bench.resource.metadata.deletionTimestamp).toBeDefined();
  });

  test("removes its finalizer from a resource that it deletes, because no event follows", async () => {
    const bench = await finished();
    await bench.reconcile();
    bench.edit({ ...bench.resource, metadata: { ...bench.resource.metadata, finalizers: [FINALIZER] } });
    await bench.clock.advance(60_000);
    bench.cluster.lingers = ({ metadata }) => (metadata.finalizers ?? []).length > 0;
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete Batch/web", "metadata Batch/web"]);
  });

  test("refuses a spec whose end cannot be computed", async () => {
    const retire = () => {
      throw new RangeError("no such time");
    };
    const bench = await finished(ttl, { ...batch, retire });
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
  });
});

describe("an expired resource that another tool declares", () => {
  test("is kept, and its objects are deleted", async () => {
    const bench = new ReconcileBench({ kind: keeping, resource: { ...ttl, ...argo } });
    await bench.reconcile();
    expect(bench.condition("Expired")).toBeUndefined();
    bench.takeRequests();
    await bench.clock.advance(60_000);
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual(["delete Job/web-0", "status Batch/web"]);
    expect(bench.condition("Expired")).toBe("True DeclaredElsewhere");
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.condition("Healthy")).toBe("True Suspended");
    expect(bench.events.find(({ reason }) => reason === "Expired")?.note).toContain(
      "its time is over. It is declared by Argo CD (argocd.argoproj.io/instance: shop)",
    );
  });

  test("does not have its objects recreated, and causes no further writes", async () => {
    const bench = new ReconcileBench({ kind: keeping, resource: { ...ttl, ...argo } });
    await bench.clock.advance(60_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Batch/web", "status Batch/web"]);
    const told = bench.events.length;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    expect(bench.events).toHaveLength(told);
  });

  test("has its objects recreated when its time is extended", async () => {
    let isOver = true;
    const kind = { ...keeping, retire: () => (isOver ? "its time is over" : undefined) };
    const bench = new ReconcileBench({ kind, resource: { ...ttl, ...argo } });
    await bench.reconcile();
    isOver = false;
    bench.edit(aResource(kind, { ...ttl, ...argo, generation: 2 }));
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply Job/web-0", "status Batch/web"]);
    expect(bench.condition("Expired")).toBeUndefined();
  });
});
