import { describe, expect, test } from "vitest";
import { ApiUnavailableError, ObjectRejectedError } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { made, map, planned } from "../../../fakes/planned-bench.ts";
import type { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aSourceManifest, limitsOf } from "../../../fakes/releases.ts";

describe("a plan that fails", () => {
  const planOf = (bench: ReleaseBench) => bench.release().status?.next;

  test("reports why the commit cannot be fetched or rendered, without a digest", async () => {
    const bench = await planned({ reason: "RenderFailed", message: "a.yaml:3: not valid" });
    expect(planOf(bench)).toEqual({ revision: aCommit("2").id, error: "a.yaml:3: not valid" });
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("names the object that the API server refuses, and is retried later", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.cluster.refuse(
      "dry-run ConfigMap/a",
      new ObjectRejectedError("/ConfigMap/shop/a", "data is too long"),
    );
    await planned([map("a", "2"), map("b")], { bench });
    const plan = planOf(bench);
    expect(plan).toMatchObject({ error: expect.stringMatching(/ConfigMap shop\/a: data is too long/) });
    expect(plan).toHaveProperty("digest");
    expect(plan).not.toHaveProperty("change");
    bench.takeRequests();
    await bench.clock.advance(29_000);
    await made(bench);
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(1_000);
    await made(bench);
    expect(planOf(bench)).toMatchObject({ change: 1 });
    expect(planOf(bench)).not.toHaveProperty("error");
  });

  test("is retried soon after a failure of the server", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.cluster.refuse(
      "dry-run ConfigMap/a",
      new ApiUnavailableError("Cannot apply: 503", { status: 503 }),
    );
    await planned([map("a", "2"), map("b")], { bench });
    expect(planOf(bench)).toMatchObject({ error: "Cannot apply: 503" });
    await bench.clock.advance(1_000);
    await made(bench);
    expect(planOf(bench)).toMatchObject({ change: 1 });
  });

  test("names the owner of a conflicting object", async () => {
    const bench = await aDeployedBench("a");
    const theirs = aSourceManifest("v1", "ConfigMap", "c", { namespace: "shop" });
    bench.cluster.put({
      ...theirs,
      metadata: {
        ...theirs.metadata,
        uid: "c",
        resourceVersion: "1",
        labels: { "app.kubernetes.io/managed-by": "Helm" },
      },
      ours: false,
    });
    await planned([map("a"), map("c")], { bench });
    expect(planOf(bench)).toMatchObject({ error: expect.stringMatching(/belongs to Helm/) });
  });

  test("reports what policies do not allow, without a request", async () => {
    const bench = await aDeployedBench("a");
    bench.limits = limitsOf({ quotas: { objects: 1 } });
    await planned([map("a"), map("b")], { bench });
    expect(planOf(bench)).toMatchObject({ error: expect.stringMatching(/Refused by rule 1/) });
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
  });

  test("waits for the local copies of a kind that only the next commit uses", async () => {
    const bench = await aDeployedBench("a");
    bench.unsynced.add("services");
    bench.takeRequests();
    await planned([map("a"), aSourceManifest("v1", "Service", "s")], { bench });
    expect(bench.takeRequests()).toEqual([]);
    bench.unsynced.clear();
    await made(bench);
    expect(bench.takeRequests().toSorted()).toEqual(["dry-run Service/s", "status Release/web"]);
    expect(planOf(bench)).toMatchObject({ create: 1, change: 0 });
  });

  test("names a kind that may not be watched", async () => {
    const bench = await aDeployedBench("a");
    bench.refused.set("services", "the operator may not list and watch services");
    await planned([map("a"), aSourceManifest("v1", "Service", "s")], { bench });
    expect(planOf(bench)).toMatchObject({
      error: "Service shop/s (file-1.yaml:1) cannot be applied: the operator may not list and watch services",
    });
  });

  test("names a kind that the cluster does not have", async () => {
    const bench = await planned([map("a"), aSourceManifest("example.dev/v1", "Widget", "w")]);
    expect(planOf(bench)).toMatchObject({
      error: expect.stringMatching(
        /Widget w \(file-1.yaml:1\) cannot be applied: the cluster has no such kind/,
      ),
    });
  });
});
