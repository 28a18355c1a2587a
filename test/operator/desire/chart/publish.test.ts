import { expect, test } from "vitest";
import { desiredSetOf } from "../../../../operator/desire/chart/converge-kind.ts";
import { load } from "../../../../operator/desire/chart/load.ts";
import { publish } from "../../../../operator/desire/chart/publish.ts";
import type { PublishOffer } from "../../../../operator/ports.ts";
import { synthesize } from "../../../../synth/synthesize.ts";
import { aConfigMap, aGadgetKind } from "../../../fakes/gadget.ts";
import { ReconcileBench } from "../../../fakes/reconcile-bench.ts";

test("publish() offers the folder of a resource, and renders it only on request", () => {
  const kind = aGadgetKind();
  const bench = new ReconcileBench({
    kind,
    resource: { generation: 7, spec: { objects: [aConfigMap("a")] } },
  });
  const published = { digest: "d", tree: "t", commit: "c" };
  bench.deliver(bench.cluster.put({ ...bench.resource, status: { published } }));
  const loaded = load("shop/web", kind, bench.stores);
  if (loaded === undefined) throw new Error("there is no resource");
  const made = synthesize(kind, loaded.resource, loaded.observed);
  const desired = desiredSetOf(made, kind, loaded.resource);
  const offers: PublishOffer[] = [];
  const publisher = {
    publish: (offer: PublishOffer) => {
      offers.push(offer);
      return { state: "pending", sinceMs: 5 } as const;
    },
    retire: () => undefined,
  };

  expect(publish(loaded, desired, { kind, publisher, place: "here" })).toEqual({
    state: "pending",
    sinceMs: 5,
  });
  expect(offers).toMatchObject([
    {
      owner: { groupKind: "gadgets.example.dev", key: "shop/web" },
      title: "Gadget shop/web",
      generation: 7,
      folder: "shop/gadgets.example.dev/web",
      digest: desired.digest,
      last: published,
    },
  ]);
  expect([...(offers[0]?.render().keys() ?? [])]).toEqual(["configmap-a.yaml"]);
});
