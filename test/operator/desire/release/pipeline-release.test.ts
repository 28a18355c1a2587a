import { describe, expect, test } from "vitest";
import type { Condition } from "../../../../crds/conditions.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });
const stage = { source: { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } } };
const pinned = (digit: string, more: object = {}) => ({ ...stage, revision: aCommit(digit).id, ...more });

/** A repository with the commits 1 and 2; the branch is at 3. */
function aBench(): ReleaseBench {
  const bench = new ReleaseBench();
  bench.commit("3", [map("a", "3")]);
  for (const digit of ["1", "2"]) bench.offer(digit, [map("a", digit)]);
  return bench;
}

async function edited(bench: ReleaseBench, generation: number, spec: Record<string, unknown>): Promise<void> {
  bench.edit(aRelease({ generation, spec }));
  for (let runs = 0; runs < 3; runs++) {
    await bench.reconcile();
    await bench.clock.settle();
  }
}

const conditionIn = (bench: ReleaseBench, type: string): Condition | undefined =>
  (bench.release().status?.conditions as readonly Condition[] | undefined)?.find((one) => one.type === type);
const deployedIn = (bench: ReleaseBench) => bench.release().status?.deployed;

describe("a Release of a stage", () => {
  test("deploys nothing before it is pinned, and reports which Pipeline it waits for", async () => {
    const bench = aBench();
    await edited(bench, 1, stage);
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(conditionIn(bench, "Ready")).toMatchObject({
      status: "False",
      reason: "PinPending",
      message: "Waiting for Pipeline shop, stage prod to set spec.revision",
    });
  });

  test("deploys its pin, and reports it with digest, generation and time", async () => {
    const bench = aBench();
    await edited(bench, 4, pinned("1"));
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
    expect(deployedIn(bench)).toEqual({
      ...{ revision: aCommit("1").id, tree: "tree-1", generation: 4 },
      digest: bench.release().status?.history?.[0]?.digest,
      ...{ since: "2026-01-01T00:00:00Z", healthySince: "2026-01-01T00:00:00Z" },
    });
    expect(conditionIn(bench, "Ready")?.message).not.toContain("Pinned");
    expect(bench.release().status).not.toHaveProperty("ignored");
  });

  test("keeps the deployed commit when the pin is removed, and keeps its objects in sync", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    await edited(bench, 2, stage);
    bench.commit("4", [map("a", "4")]);
    await bench.reconcile();
    expect(deployedIn(bench)).toMatchObject({ revision: aCommit("1").id, generation: 2 });
    const live = bench.live("ConfigMap", "a") as LiveObject;
    bench.deliver(bench.cluster.put({ ...live, data: { x: "by hand" } } as LiveObject));
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
  });

  test("keeps the deployed commit when it changes from a branch to a stage", async () => {
    const bench = aBench();
    bench.commit("1", [map("a", "1")]);
    await edited(bench, 1, {});
    bench.commit("3", [map("a", "3")]);
    await edited(bench, 2, stage);
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("is not Ready at its generation before the pin of that generation is deployed", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    bench.offer("2", "pending");
    await edited(bench, 2, pinned("2"));
    const ready = conditionIn(bench, "Ready");
    expect(ready?.status === "True" && ready.observedGeneration === 2).toBe(false);
    expect(deployedIn(bench)).toMatchObject({ revision: aCommit("1").id, generation: 1 });
    // Nor while it is suspended, however healthy the objects of the earlier pin were.
    await edited(bench, 3, pinned("2", { suspend: true }));
    expect(deployedIn(bench)).toMatchObject({ revision: aCommit("1").id, generation: 1 });
    bench.offer("2", [map("a", "2")]);
    await edited(bench, 4, pinned("2"));
    expect(conditionIn(bench, "Ready")).toMatchObject({ status: "True", observedGeneration: 4 });
    expect(deployedIn(bench)).toMatchObject({ revision: aCommit("2").id, generation: 4 });
  });

  test("reports that the pinned commit is deployed, also if it changed nothing", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    const before = deployedIn(bench);
    await bench.clock.advance(60_000);
    bench.offer("2", [map("a", "1")], { tree: "tree-1" });
    await edited(bench, 2, pinned("2"));
    // The time of the same manifests counts on.
    expect(deployedIn(bench)).toEqual({ ...before, revision: aCommit("2").id, generation: 2 });
  });
});

describe("spec.digest", () => {
  test("is still what runs while the pinned commit renders otherwise: manual changes are reverted", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    const { digest } = deployedIn(bench) ?? {};
    bench.offer("1", [map("a", "other inputs"), map("b")]);
    await edited(bench, 2, pinned("1", { digest }));
    expect(conditionIn(bench, "Ready")).toMatchObject({ status: "False", reason: "DigestMismatch" });
    bench.vanish(bench.live("ConfigMap", "a") as LiveObject);
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
    expect(bench.live("ConfigMap", "b")).toBeUndefined();
    expect(conditionIn(bench, "Ready")).toMatchObject({ status: "False", reason: "DigestMismatch" });
    bench.takeRequests();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("is not what an earlier commit had: then nothing is applied", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    await edited(bench, 2, pinned("2", { digest: "0".repeat(32) }));
    bench.vanish(bench.live("ConfigMap", "a") as LiveObject);
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("does not apply a commit whose manifests have another digest, and plans it", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    bench.takeRequests();
    const digest = "0".repeat(32);
    await edited(bench, 2, pinned("2", { digest }));
    expect(bench.takeRequests().filter((request) => !request.startsWith("status "))).toEqual([
      "dry-run ConfigMap/a",
    ]);
    const ready = conditionIn(bench, "Ready");
    const { next } = bench.release().status ?? {};
    expect(ready).toMatchObject({ status: "False", reason: "DigestMismatch", observedGeneration: 2 });
    expect(ready?.message).toContain(digest);
    expect(ready?.message).toContain(String(next?.digest));
    expect(next).toMatchObject({ revision: aCommit("2").id, change: 1 });
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
    // The plan stays while the source cannot be had.
    bench.offer("2", "pending");
    await edited(bench, 2, pinned("2", { digest }));
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.release().status?.next).toEqual(next);
    bench.offer("2", [map("a", "2")]);
    // With the digest of the new plan it is applied.
    await edited(bench, 3, pinned("2", { digest: next?.digest }));
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "2" } });
    expect(deployedIn(bench)).toMatchObject({ digest: next?.digest, generation: 3 });
    expect(bench.release().status).not.toHaveProperty("next");
  });

  test("does not prevent a requested commit from being planned", async () => {
    const bench = aBench();
    await edited(bench, 1, pinned("1"));
    const digest = "0".repeat(32);
    await edited(bench, 2, pinned("2", { digest, next: { revision: aCommit("1").id } }));
    const { deployed, next } = bench.release().status ?? {};
    expect(conditionIn(bench, "Ready")).toMatchObject({ status: "False", reason: "DigestMismatch" });
    expect(next).toMatchObject({ revision: aCommit("1").id, digest: deployed?.digest });
  });

  test("has no effect without a pin", async () => {
    const bench = aBench();
    await edited(bench, 1, { digest: "0".repeat(32) });
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });
});
