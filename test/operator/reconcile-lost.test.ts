import { describe, expect, test } from "vitest";
import { ReplacedError } from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { childOf, ReconcileBench } from "../fakes/reconcile-bench.ts";

const two = { spec: { objects: [aConfigMap("a", { data: { x: "1" } }), aConfigMap("b")] } };

describe("a reconcile that finds an object gone", () => {
  test("makes an object anew that somebody deleted, and says so in one event", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    const child = childOf(bench, "a");
    bench.vanish(child);
    bench.lost.note(child, ["shop/web"]);
    await bench.reconcile();
    await bench.reconcile();
    expect(bench.events).toEqual([
      expect.objectContaining({
        type: "Normal",
        reason: "Restored",
        note: "Restored ConfigMap shop/a: it was deleted",
      }),
    ]);
    expect(Object.fromEntries(bench.counts)).toMatchObject({ created: 2, restored: 1 });
  });

  test("makes nothing anew that garbage collection took before the watch told of the resource's end", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    const child = childOf(bench, "a");
    bench.vanish(child);
    bench.lost.note(child, ["shop/web"]);
    bench.cluster.objects.delete(idOf(bench.resource));
    bench.takeRequests();
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Gadget/web"]);
    expect(bench.events).toEqual([]);
  });
});
