import { describe, expect, test } from "vitest";
import { ObjectRejectedError } from "../../operator/errors.ts";
import type { Publisher, PublishOffer, PublishState } from "../../operator/ports.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

const two = { spec: { objects: [aConfigMap("a", { data: { x: "1" } }), aConfigMap("b")] } };

describe("publishing", () => {
  const record = { digest: "d", tree: "t", commit: "c" };

  function aPublisher(answer: () => PublishState): Publisher & { readonly offers: PublishOffer[] } {
    const offers: PublishOffer[] = [];
    return {
      offers,
      publish(offer) {
        offers.push(offer);
        return answer();
      },
      retire: () => undefined,
    };
  }

  test("delays the status for a second, so that one patch also contains the commit", async () => {
    let state: PublishState = { state: "pending", sinceMs: 0 };
    const bench = new ReconcileBench({ resource: two, publisher: aPublisher(() => state) });
    const { requeueAfterMs } = await bench.reconcile();
    expect(requeueAfterMs).toBeLessThanOrEqual(1_000);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "apply ConfigMap/b"]);

    state = { state: "published", record };
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.resource.status).toMatchObject({ published: record });
    expect(bench.progress).toEqual(["live shop/web 1", "live shop/web 1", "committed shop/web 1"]);
  });

  test("writes the status without its commit when the push takes longer, and again after the push", async () => {
    let state: PublishState = { state: "pending", sinceMs: 0 };
    const bench = new ReconcileBench({ resource: two, publisher: aPublisher(() => state) });
    await bench.reconcile();
    bench.takeRequests();
    await bench.clock.advance(1_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.condition("Published")).toBe("Unknown Pending");

    state = { state: "published", record };
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.condition("Published")).toBe("True Published");
  });

  test("that fails does not make the resource unready", async () => {
    const state: PublishState = { state: "failed", reason: "PushRefused", message: "the remote said no" };
    const bench = new ReconcileBench({ resource: two, publisher: aPublisher(() => state) });
    await bench.reconcile();
    expect(bench.condition("Published")).toBe("False PushRefused");
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.events).toMatchObject([{ type: "Warning", reason: "PushRefused" }]);
  });

  test("does not offer what the cluster refused", async () => {
    const publisher = aPublisher(() => ({ state: "published", record }));
    const bench = new ReconcileBench({ resource: two, publisher });
    bench.cluster.refuse("apply ConfigMap/a", new ObjectRejectedError("/ConfigMap/shop/a", "data: too long"));
    await bench.reconcile();
    expect(publisher.offers).toEqual([]);
  });
});
