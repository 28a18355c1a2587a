import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { describe, expect, test } from "vitest";
import type { Condition } from "../../crds/conditions.ts";
import { ConfigMap, Job } from "../../crds/core-kinds.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

/** A ConfigMap that needs a Job. Its name is first in every order except that of needs. */
class MigratedChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const settings = new ApiObject(this, "settings", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings" },
    });
    const template = {
      spec: { restartPolicy: "Never", containers: [{ name: "migrate", image: "migrate" }] },
    };
    const migration = new ApiObject(this, "migration", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "migrate" },
      spec: { template },
    });
    settings.addDependency(migration);
  }
}

class CircleChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const [a, b] = ["a", "b"].map(
      (name) => new ApiObject(this, name, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
    );
    if (a === undefined || b === undefined) return;
    a.addDependency(b);
    b.addDependency(a);
  }
}

const conditionsOf = (bench: ReconcileBench): readonly Condition[] =>
  (bench.resource.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];

const writes = (bench: ReconcileBench) =>
  bench.takeRequests().filter((request) => request.startsWith("apply"));

describe("an object of a kind that needs another one", () => {
  test("is applied when that one is healthy, and its resource reports what it waits for", async () => {
    const bench = new ReconcileBench({
      kind: aGadgetKind({ chart: MigratedChart, children: [ConfigMap, Job] }),
    });
    await bench.reconcile();
    expect(writes(bench)).toEqual(["apply Job/migrate"]);
    const applied = conditionsOf(bench).find(({ type }) => type === "Applied");
    expect(applied).toMatchObject({ status: "False" });
    expect(applied?.message).toContain("ConfigMap shop/settings waits for Job shop/migrate");

    const job = bench.cluster.objects.get("batch/Job/shop/migrate");
    if (job === undefined) throw new Error("the Job was applied");
    const status = { succeeded: 1, conditions: [{ type: "Complete", status: "True" }] };
    bench.deliver({ ...job, metadata: { ...job.metadata, resourceVersion: "9000" }, status });
    await bench.reconcile();
    expect(writes(bench)).toEqual(["apply ConfigMap/settings"]);
    expect(conditionsOf(bench).find(({ type }) => type === "Applied")).toMatchObject({ status: "True" });
  });

  test("is refused if that one needs it, too", async () => {
    const bench = new ReconcileBench({ kind: aGadgetKind({ chart: CircleChart, children: [ConfigMap] }) });
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
    const applied = conditionsOf(bench).find(({ type }) => type === "Applied");
    expect(applied).toMatchObject({ status: "False", reason: "SpecInvalid" });
    expect(applied?.message).toContain("Dependency cycle");
  });
});
