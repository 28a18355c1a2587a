import { describe, expect, test } from "vitest";
import { NamespaceTerminatingError } from "../../operator/errors.ts";
import { aDeployedBench } from "../fakes/deployed-bench.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import type { ReleaseBench } from "../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../fakes/releases.ts";

type Bench = ReconcileBench | ReleaseBench;

const map = (name: string) => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } });
const aGadget = (options: object = {}) =>
  new ReconcileBench({ resource: { spec: { objects: [aConfigMap("a")] } }, ...options });
const deployed = async (change: (bench: ReleaseBench) => void) => {
  const bench = await aDeployedBench("a", "b", "c", "d", "e");
  change(bench);
  return bench;
};
const pending = { publish: () => ({ state: "pending", sinceMs: 0 }) as const, retire: () => undefined };

describe("the reasons of a reconcile", () => {
  test.for<{ readonly of: string; readonly bench: () => Promise<Bench> | Bench; readonly says: object }>([
    {
      of: "a new resource",
      bench: () => aGadget(),
      says: { outcome: "applied", did: ["create ConfigMap shop/a: it does not exist"], waits: [] },
    },
    {
      of: "a resource without work",
      bench: async () => {
        const bench = aGadget();
        await bench.reconcile();
        return bench;
      },
      says: { outcome: "applied", did: [], waits: [], keeps: [] },
    },
    {
      of: "a resource whose commit is not pushed yet",
      bench: () => aGadget({ publisher: pending }),
      says: { waits: ["its commit is not pushed yet"] },
    },
    {
      of: "a namespace that is being deleted",
      bench: () => {
        const bench = aGadget();
        bench.cluster.refuse("apply ConfigMap/a", new NamespaceTerminatingError("shop"));
        return bench;
      },
      says: { waits: ['Cannot apply in namespace "shop": it is being deleted'] },
    },
    {
      of: "a resource that does not exist",
      bench: () => {
        const bench = aGadget();
        bench.vanish(bench.resource);
        return bench;
      },
      says: { outcome: "skipped", why: "it does not exist, or its namespace is being deleted" },
    },
    {
      of: "an object that another owner has",
      bench: () => {
        const bench = aGadget();
        const metadata = { name: "a", namespace: "shop", uid: "x", resourceVersion: "1" };
        bench.deliver(bench.cluster.put({ ...aConfigMap("a"), metadata, ours: false }));
        return bench;
      },
      says: { outcome: "refused", waits: [expect.stringContaining("ConfigMap shop/a")] },
    },
    {
      of: "a Release whose prune is held",
      bench: () => deployed((bench) => bench.commit("2", [map("a")])),
      says: {
        outcome: "refused",
        waits: [
          expect.stringContaining("approve-prune"),
          ...["b", "c", "d", "e"].map((name) => `hold ConfigMap shop/${name}: its deletion needs approval`),
        ],
      },
    },
    {
      of: "a Release whose caches fill",
      bench: () => deployed(({ unsynced }) => void unsynced.add("configmaps")),
      says: {
        outcome: "retry",
        waits: Array.from({ length: 5 }, () => expect.stringContaining("is not applied")),
      },
    },
    {
      of: "a Release that is suspended",
      bench: () => deployed((bench) => bench.edit(aRelease({ spec: { suspend: true } }))),
      says: { outcome: "suspended", waits: ["spec.suspend is true"] },
    },
    {
      of: "a Release whose source is not there",
      bench: () =>
        deployed((bench) => bench.fail({ source: { reason: "SourceNotFound", message: "no such branch" } })),
      says: { outcome: "unsourced", waits: ["no such branch"] },
    },
  ])("of $of", async ({ bench: start, says }) => {
    const bench = await start();
    await bench.reconcile();
    expect(bench.explain()).toMatchObject(says);
  });
});
