import { describe, expect, test } from "vitest";
import { aConfigMap } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

describe("a reconcile that is aborted", () => {
  test("writes no status, records no event and offers nothing after the current request", async () => {
    const offers: unknown[] = [];
    const publisher = {
      publish: (offer: unknown) => {
        offers.push(offer);
        return { state: "pending", sinceMs: 0 } as const;
      },
      retire: () => undefined,
    };
    const bench = new ReconcileBench({ publisher, resource: { spec: { objects: [aConfigMap("a")] } } });
    const ending = new AbortController();
    const lost = new Error("The lease was lost");
    bench.cluster.rewrite = (object) => {
      if (object.kind === "ConfigMap") ending.abort(lost);
      return object;
    };
    await expect(bench.reconcile("shop/web", ending.signal)).rejects.toBe(lost);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a"]);
    expect(offers).toEqual([]);
    expect(bench.events).toEqual([]);
  });
});
