import { describe, expect, test } from "vitest";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { made, map, next, planned } from "../../../fakes/planned-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const deployment = (image: string) =>
  aSourceManifest("apps/v1", "Deployment", "web", {
    fields: { spec: { replicas: 0, template: { spec: { containers: [{ name: "web", image }] } } } },
  });

describe("the plan of a commit that a Release does not run", () => {
  test("counts what would be created, changed and deleted, and changes nothing", async () => {
    const bench = await planned([map("a", "2"), map("c"), deployment("web:1")]);
    expect(bench.takeRequests().toSorted()).toEqual([
      "dry-run ConfigMap/a",
      "dry-run ConfigMap/c",
      "dry-run Deployment/web",
      // For the edit and the plan.
      "status Release/web",
    ]);
    expect(bench.release().status?.next).toEqual({
      revision: aCommit("2").id,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...{ create: 2, change: 1, delete: 1, held: 0, mutableImages: 1 },
      inputs: expect.any(String),
    });
    expect(bench.release().status).toMatchObject({ revision: aCommit("1").id });
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("delays the status of the edit that requests it by two seconds at most", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.offer("2", "pending");
    bench.takeRequests();
    bench.edit(aRelease({ generation: 2, spec: next("2") }));
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_000 });
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.release().status).toMatchObject({ observedGeneration: 2 });
  });

  test("does not delay the status of the deployed commit", async () => {
    const bench = await aDeployedBench("a", "b");
    bench.commit("3", [map("a", "3"), map("b")]);
    bench.offer("2", "pending");
    bench.edit(aRelease({ generation: 2, spec: next("2") }));
    await bench.reconcile();
    expect(bench.release().status).toMatchObject({ revision: aCommit("3").id, observedGeneration: 2 });
  });

  test("has the digest that the commit has after its deployment", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    const { digest } = bench.release().status?.next ?? {};
    bench.commit("2", [map("a", "2"), map("b")]);
    bench.edit(aRelease({ generation: 3 }));
    await made(bench);
    expect(bench.release().status?.deployed?.digest ?? bench.release().status?.history?.[0]?.digest).toBe(
      digest,
    );
    expect(bench.release().status?.next).toBeUndefined();
  });

  test("is made once, and not again in another reconcile or by another operator", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    bench.takeRequests();
    await made(bench);
    expect(bench.takeRequests()).toEqual([]);
    const successor = new ReleaseBench();
    successor.commit("1", [map("a"), map("b")]);
    successor.offer("2", [map("a", "2"), map("b")]);
    for (const object of bench.cluster.objects.values()) successor.deliver(successor.cluster.put(object));
    await made(successor);
    expect(successor.takeRequests()).toEqual([]);
  });

  test("is made again when another commit is deployed, or other objects are to be deleted", async () => {
    const bench = await planned([map("a", "2"), map("b")]);
    bench.commit("3", [map("a", "2"), map("b", "3"), map("c")]);
    bench.takeRequests();
    await made(bench);
    expect(bench.takeRequests().filter((request) => request.startsWith("dry-run"))).toEqual([
      "dry-run ConfigMap/b",
    ]);
    expect(bench.release().status?.next).toMatchObject({ create: 0, change: 1, delete: 1 });
    bench.commit("4", [map("a", "4"), map("b", "4"), map("c")]);
    await made(bench);
    expect(bench.release().status?.next).toMatchObject({ create: 0, change: 2, delete: 1 });
    bench.edit(aRelease({ generation: 3, spec: { ...next("2"), prune: false } }));
    await made(bench);
    expect(bench.release().status?.next).toMatchObject({ create: 0, change: 2, delete: 0 });
  });

  test("sends no request for a commit with the same manifests", async () => {
    const bench = await planned([map("a"), map("b")]);
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.release().status?.next).toMatchObject({ create: 0, change: 0, delete: 0, held: 0 });
  });

  test("counts deletions that would need approval, until they are approved", async () => {
    const bench = await planned([map("c")], { bench: await aDeployedBench("a", "b", "d", "e", "f") });
    expect(bench.release().status?.next).toMatchObject({ create: 1, delete: 0, held: 5 });
    const annotations = { "fairlead.dev/approve-prune": aCommit("2").id };
    bench.edit(aRelease({ generation: 2, spec: next("2"), annotations }));
    await made(bench);
    expect(bench.release().status?.next).toMatchObject({ create: 1, delete: 5, held: 0 });
  });

  test("is removed when it is no longer requested, and kept while the Release is suspended", async () => {
    const bench = await planned([map("a", "2")]);
    const plan = bench.release().status?.next;
    bench.offer("3", [map("a", "3")]);
    bench.takeRequests();
    bench.edit(aRelease({ generation: 3, spec: { ...next("3"), suspend: true } }));
    await made(bench);
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.release().status?.next).toEqual(plan);
    bench.edit(aRelease({ generation: 4 }));
    await made(bench);
    expect(bench.release().status).not.toHaveProperty("next");
  });

  test("is not made for a Release that is being deleted", async () => {
    const bench = await planned([map("a", "2")]);
    expect(bench.requests.has("shop/web#next")).toBe(true);
    const { metadata, ...rest } = aRelease({ generation: 3, spec: next("2") });
    bench.edit({ ...rest, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect([...bench.requests.keys()]).toEqual([]);
  });

  test("is also made for a Release that has deployed nothing", async () => {
    const bench = new ReleaseBench();
    bench.offer("2", [map("a")]);
    const source = { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } };
    bench.edit(aRelease({ spec: { source, ...next("2") } }));
    await made(bench);
    expect(bench.release().status?.next).toMatchObject({ create: 1, change: 0, delete: 0 });
    expect(bench.condition("Ready")).toBe("False PinPending");
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("does not delay the deployed commit", async () => {
    const bench = await aDeployedBench("a");
    let answer = (): void => undefined;
    const { cluster } = bench;
    const dry = cluster.dryRun();
    cluster.dryRun = () => ({
      ...dry,
      apply: async (...input) => {
        await new Promise<void>((resolve) => (answer = resolve));
        return await dry.apply(...input);
      },
    });
    bench.offer("2", [map("a", "2")]);
    bench.edit(aRelease({ generation: 2, spec: next("2") }));
    await made(bench);
    bench.commit("3", [map("a", "3")]);
    await made(bench);
    expect(bench.release().status).toMatchObject({ revision: aCommit("3").id });
    expect(bench.release().status).not.toHaveProperty("next");
    answer();
  });

  test("does not count a namespace that another client created", async () => {
    const bench = await aDeployedBench("a");
    const theirs = aSourceManifest("v1", "Namespace", "away");
    const metadata = { ...theirs.metadata, uid: "away", resourceVersion: "1" };
    bench.cluster.put({ ...theirs, metadata, ours: false });
    bench.offer("2", [map("a", "2")]);
    const target = { namespace: "away", createNamespace: true };
    bench.edit(aRelease({ generation: 2, spec: { target, revision: aCommit("1").id, ...next("2") } }));
    bench.cluster.refuse("apply ConfigMap/a", new ApiUnavailableError("Cannot apply: 503", { status: 503 }));
    await bench.reconcile().catch(() => undefined);
    await bench.clock.settle();
    await made(bench);
    expect(bench.release().status?.next).toMatchObject({ create: 0, change: 1 });
  });

  test("counts objects whose kind or namespace the commit creates, without requests about them", async () => {
    const definition = aSourceManifest(
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      "widgets.example.dev",
      {
        fields: { spec: { group: "example.dev", names: { kind: "Widget" }, scope: "Namespaced" } },
      },
    );
    const bench = await aDeployedBench("a");
    const missing = new ApiUnavailableError("Cannot apply: no namespace", { status: 404 });
    bench.cluster.refuse("dry-run ConfigMap/far", missing);
    await planned(
      [
        map("a"),
        definition,
        aSourceManifest("example.dev/v1", "Widget", "w"),
        aSourceManifest("v1", "Namespace", "away"),
        aSourceManifest("v1", "ConfigMap", "far", { namespace: "away" }),
      ],
      { bench },
    );
    expect(bench.release().status?.next).toMatchObject({ create: 4, change: 0 });
    expect(bench.takeRequests()).not.toContain("dry-run Widget/w");
  });
});
