import { describe, expect, test } from "vitest";
import { ObjectRejectedError } from "../../../../operator/errors.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x: string) =>
  aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });

describe("a reconcile of a Release whose definitions change", () => {
  test("is retried, and is not stalled, while a changed definition may explain a refusal by the schema", async () => {
    const bench = await aDeployedBench("a");
    const refuse = () =>
      bench.cluster.refuse(
        "apply ConfigMap/a",
        new ObjectRejectedError("/ConfigMap/shop/a", "no such field", { isBySchema: true }),
      );
    bench.newDefinitions.add("/ConfigMap");
    bench.commit("2", [map("a", "2")]);
    refuse();
    const { requeueAfterMs = 0 } = await bench.reconcile();
    expect(requeueAfterMs).toBeLessThanOrEqual(101);
    // It is reported only after a second.
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a"]);
    await bench.clock.advance(2_000);
    refuse();
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False Progressing");
    expect(bench.condition("Stalled")).toBeUndefined();

    // The definition has been served for some time.
    bench.newDefinitions.clear();
    await bench.clock.advance(10_000);
    refuse();
    const later = await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False ApplyRejected");
    expect(bench.condition("Stalled")).toBe("True ApplyRejected");
    expect(later.requeueAfterMs).toBeLessThanOrEqual(60_001);
    await bench.clock.advance(60_001);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("reports no repair if only its local copy lacked a field", async () => {
    const bench = await aDeployedBench("a");
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("nothing is deployed");
    // As a watch shows it that is older than the definition; the server has it whole.
    bench.deliver({ ...bench.cluster.put(live), data: {} });
    await bench.reconcile();
    expect(bench.events.map(({ reason }) => reason)).not.toContain("Restored");
  });
});
