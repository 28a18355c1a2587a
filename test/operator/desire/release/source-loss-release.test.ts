import { describe, expect, test } from "vitest";
import { sourceGraceMs } from "../../../../operator/engine/source-loss.ts";
import type { SourceFailure } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";
import { restart } from "../../../fakes/restarted-bench.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });
const down: SourceFailure = { reason: "SourceUnreachable", message: "no answer" };
const gone: SourceFailure = { reason: "SourceNotFound", message: "Cannot find the folder" };

describe("a Release whose source is unavailable", () => {
  test("is not ready when the outage is longer than its grace period, and ready again after it", async () => {
    const bench = await aDeployedBench("a");
    bench.lose(down);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: sourceGraceMs });
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.condition("Sourced")).toBe("False SourceUnreachable");

    await bench.clock.advance(sourceGraceMs - 1_000);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
    await bench.clock.advance(1_000);
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False SourceUnreachable");
    expect(bench.condition("Reconciling")).toBe("True SourceUnreachable");
    expect([bench.condition("Applied"), bench.condition("Healthy")]).toEqual([
      "True Applied",
      "True Healthy",
    ]);
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);

    bench.commit("1", [map("a")]);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("counts the grace period from the beginning of the outage, also across a restart", async () => {
    const before = await aDeployedBench("a");
    before.lose(down);
    await before.reconcile();
    const bench = restart(before);
    await bench.clock.advance(sourceGraceMs);
    bench.fail({ source: down });
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False SourceUnreachable");
  });

  test("is not ready at once when the remote reports that the repository does not exist, and keeps the deployed objects", async () => {
    const bench = await aDeployedBench("a");
    bench.lose(gone);
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900" };
    bench.deliver(bench.cluster.put({ ...live, metadata, data: { x: "by hand" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "status Release/web"]);
    expect(bench.condition("Ready")).toBe("False SourceNotFound");
    expect(bench.condition("Stalled")).toBe("True SourceNotFound");
    expect(bench.release().status?.revision).toBe(aCommit("1").id);
    bench.commit("1", [map("a")]);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("reports the health of the deployed objects while a newer commit cannot be rendered", async () => {
    const bench = new ReleaseBench();
    const spec = { replicas: 1, selector: {}, template: {} };
    bench.commit("1", [aSourceManifest("apps/v1", "Deployment", "a", { fields: { spec } })]);
    bench.edit();
    await bench.reconcile();
    const report = async (availableReplicas: number): Promise<void> => {
      const live = bench.live("Deployment", "a");
      if (live === undefined) throw new Error("there is none");
      const { metadata } = live;
      const resourceVersion = String(Number(metadata.resourceVersion) + 100);
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: availableReplicas, availableReplicas };
      const status = { observedGeneration: metadata.generation ?? 1, ...counts };
      bench.deliver(bench.cluster.put({ ...live, metadata: { ...metadata, resourceVersion }, status }));
      await bench.reconcile();
    };
    await report(1);
    expect(bench.condition("Healthy")).toBe("True Healthy");
    bench.fail({ digit: "2", render: { reason: "RenderFailed", message: "web.yaml:3: no" } });
    await report(0);
    expect(bench.condition("Ready")).toBe("False RenderFailed");
    expect(bench.condition("Healthy")).toBe("False Progressing");
  });

  test("stays ready while it is pinned to the deployed commit", async () => {
    const former = await aDeployedBench("a");
    former.edit(aRelease({ generation: 2, spec: { revision: aCommit("1").id } }));
    await former.reconcile();
    const bench = restart(former);
    for (const source of [down, { ...gone, reason: "SourceRefused" } as const, gone]) {
      bench.fail({ source });
      await bench.clock.advance(2 * sourceGraceMs);
      await bench.reconcile();
      expect(bench.condition("Ready")).toBe("True Reconciled");
      expect(bench.condition("Sourced")).toBe(`False ${source.reason}`);
    }
  });

  test("blocks no Release that depends on it, before and after a restart", async () => {
    const former = await aDeployedBench("a");
    former.lose(gone);
    await former.reconcile();
    const dependent = aRelease({ name: "app", spec: { dependsOn: [{ name: "web" }] } });
    const isDeployed = async (bench: ReleaseBench, digit: string): Promise<string | undefined> => {
      bench.commit(digit, [map("app", digit)], { key: "shop/app" });
      bench.edit(dependent);
      await bench.reconcile("shop/app");
      return bench.condition("Ready", "shop/app");
    };
    expect(await isDeployed(former, "2")).toBe("True Reconciled");

    const bench = restart(former);
    // It is unknown yet whether there is a newer commit.
    expect(await isDeployed(bench, "3")).toBe("True Reconciled");
    expect(bench.live("ConfigMap", "app")?.["data"]).toEqual({ x: "2" });
    bench.fail({ source: gone });
    await bench.reconcile();
    expect(bench.woken).toContain("shop/app");
    await bench.reconcile("shop/app");
    expect(bench.live("ConfigMap", "app")?.["data"]).toEqual({ x: "3" });

    // It is enqueued also where the status is the same as before.
    const next = restart(bench);
    next.fail({ source: gone });
    await next.reconcile();
    expect(next.takeRequests()).toEqual([]);
    expect(next.woken).toEqual(["shop/app"]);
  });
});

describe("status.deployed of a Release", () => {
  const deployedOf = (bench: ReleaseBench) => bench.release().status?.deployed;
  /** Of ConfigMaps, which are healthy at once. */
  const details = {
    digest: expect.any(String),
    generation: 1,
    since: "2026-01-01T00:00:00Z",
    healthySince: "2026-01-01T00:00:00Z",
  };

  test("is the newest commit of the folder, and a push elsewhere causes no write", async () => {
    const bench = await aDeployedBench("a");
    expect(deployedOf(bench)).toEqual({ revision: aCommit("1").id, tree: "tree-1", ...details });
    bench.moveHead("2");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("changes for a commit that renders the same, also if it was pushed while the operator was down", async () => {
    const former = await aDeployedBench("a");
    former.commit("2", [map("a")]);
    await former.reconcile();
    expect(former.takeRequests()).toEqual(["status Release/web"]);
    const bench = restart(former);
    bench.commit("3", [map("a")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(deployedOf(bench)).toEqual({ revision: aCommit("3").id, tree: "tree-3", ...details });
  });

  test("is not written after an upgrade, but with the first commit of the folder", async () => {
    const former = await aDeployedBench("a");
    const bench = restart(former, ({ deployed: _, ...status }: { readonly deployed?: object }) => status);
    bench.commit("1", [map("a")]);
    await bench.reconcile();
    bench.moveHead("2");
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    bench.commit("3", [map("a")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(deployedOf(bench)?.revision).toBe(aCommit("3").id);
  });

  test("is unchanged while the next commit is not fully applied", async () => {
    const bench = await aDeployedBench("a");
    bench.fail({ digit: "2", render: { reason: "RenderFailed", message: "a.yaml:1" } });
    await bench.reconcile();
    expect(deployedOf(bench)?.revision).toBe(aCommit("1").id);
  });
});
