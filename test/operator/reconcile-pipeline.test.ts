import { describe, expect, test } from "vitest";
import { pipeline } from "../../charts/bindings-delivery.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { PipelineResource } from "../../crds/pipeline.ts";
import type { PromotionResource } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import type { KindSources } from "../../operator/desire/chart/follow-source.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

const commit = { id: "a".repeat(40), author: "Ann", subject: "Ship", committedAt: "2026-01-01T00:00:00Z" };
const digest = "d".repeat(32);

function aRelease(name: string, namespace: string): LiveObject {
  const ref = { pipeline: "web", stage: "dev", namespace: "shop" };
  const fields = { spec: { source: { url: "https://git.example.dev/shop", ref } } };
  return aLiveObject({ kind: Release, name, namespace, generation: 1, ours: false, fields });
}

/** A Pipeline of one stage with a Release in its own namespace and one in another. */
function aScene() {
  // The bench has one store for each kind: Promotions are its children there.
  const kind = { ...pipeline, related: pipeline.related.filter((one) => one.kind.kind !== "Promotion") };
  const spec = {
    source: { url: "https://git.example.dev/shop" },
    stages: [{ name: "dev", releases: [{ name: "a" }, { name: "b", namespace: "eu" }] }],
  };
  const state = { state: "ready", head: commit, changed: commit, isAssumed: false, tree: "t" } as const;
  const authorsOf: KindSources["authorsOf"] = (_, sourced, spans) => {
    expect(spans, "no stage excludes authors").toEqual([]);
    return sourced;
  };
  const sources = { read: async () => ({ state }), forget: () => undefined, authorsOf };
  const bench = new ReconcileBench({ kind, resource: { spec }, sources });
  for (const release of [aRelease("a", "shop"), aRelease("b", "eu")])
    bench.deliver(bench.cluster.put(release));
  const writes = () => bench.takeRequests().filter((request) => !/^(status|metadata)/.test(request));
  const plan = (name: string): void => {
    const found = bench.live("Release", name) ?? expect.fail(`no Release ${name}`);
    const status = { next: { revision: commit.id, digest } };
    bench.deliver(bench.cluster.put({ ...found, status }));
  };
  return { bench, writes, plan };
}

describe("the reconcile loop with a Pipeline", () => {
  test("plans in every namespace, creates a Promotion when all have planned, and pins when the Promotion is observed", async () => {
    const { bench, writes, plan } = aScene();
    await bench.reconcile();
    await bench.reconcile();
    expect(writes()).toEqual(["add Release/a spec.next", "add Release/b spec.next"]);
    expect(bench.live("Release", "b")?.["spec"]).toMatchObject({ next: { revision: commit.id } });
    plan("a");
    await bench.reconcile();
    expect(writes()).toEqual([]);
    plan("b");
    await bench.reconcile();
    expect(writes()).toEqual(["apply Promotion/web-dev-1"]);
    const promotion = bench.live("Promotion", "web-dev-1") as PromotionResource;
    expect(promotion.metadata.ownerReferences).toMatchObject([
      { kind: "Pipeline", name: "web", controller: true },
    ]);
    expect(promotion.spec).toMatchObject({ revision: commit.id, number: 1, candidate: 1, attempt: 1 });
    expect(bench.live("Release", "a")?.["spec"]).not.toHaveProperty("revision");
    await bench.reconcile();
    expect(writes()).toHaveLength(2);
    for (const name of ["a", "b"])
      expect(bench.live("Release", name)?.["spec"]).toMatchObject({ revision: commit.id, digest });
    await bench.reconcile();
    expect(writes()).toEqual([]);
    const { status } = bench.resource as PipelineResource;
    expect(status?.stages).toMatchObject([
      { name: "dev", phase: "Proving", promotion: { name: "web-dev-1" } },
    ]);
    expect(bench.condition("Ready")).toBe("False Progressing");
  });

  test("check 11: does not pin a Release that names another Pipeline, and reports it", async () => {
    const { bench, writes } = aScene();
    const { spec, ...found } = bench.live("Release", "a") ?? expect.fail("no Release a");
    const ref = { pipeline: "other", stage: "dev" };
    bench.deliver(
      bench.cluster.put({
        ...found,
        spec: { ...(spec as object), source: { url: "https://git.example.dev/shop", ref } },
      }),
    );
    await bench.reconcile();
    await bench.reconcile();
    expect(writes()).toEqual(["add Release/b spec.next"]);
    const [stage] = (bench.resource as PipelineResource).status?.stages ?? [];
    expect(stage?.problems).toEqual([
      'Release "shop/a" does not exist, or does not name this Pipeline in source.ref.pipeline',
    ]);
  });

  test("reports that stages contradict each other, and changes nothing", async () => {
    const { bench, writes } = aScene();
    bench.edit({
      ...bench.resource,
      spec: { ...(bench.resource.spec as object), stages: [{ name: "dev", after: ["prod"] }] },
    });
    await bench.reconcile().catch(() => undefined);
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
    expect(writes()).toEqual([]);
  });
});
