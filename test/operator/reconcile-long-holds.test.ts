import { describe, expect, test } from "vitest";
import type { Condition } from "../../crds/conditions.ts";
import type { LiveObject } from "../../crds/object.ts";
import { ApiUnavailableError, ReplacedError } from "../../operator/errors.ts";
import { aDeployedBench } from "../fakes/deployed-bench.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import type { ReleaseBench } from "../fakes/release-bench.ts";
import { aSourceManifest } from "../fakes/releases.ts";

const longMs = 30_000;
const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });

interface Held {
  readonly bench: ReconcileBench | ReleaseBench;
  /** Makes the next run find the same situation again. */
  readonly again?: () => void;
  /** Ends the hold. */
  readonly end: () => void;
}

const conditionsOf = ({ bench }: Held): readonly Condition[] => {
  const { status } = "release" in bench ? bench.release() : bench.resource;
  return (status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
};
const describeCondition = (held: Held, type: string) => {
  const found = conditionsOf(held).find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
};
/** Runs once. @returns Writes of the status. */
const run = async (held: Held): Promise<readonly string[]> => {
  held.again?.();
  await held.bench.reconcile().catch(() => undefined);
  return held.bench.takeRequests().filter((request) => request.startsWith("status"));
};

const aGadget = () => new ReconcileBench({ resource: { spec: { objects: [aConfigMap("a")] } } });
const failingWith = (error: Error) => async (): Promise<Held> => {
  const bench = aGadget();
  return { bench, again: () => bench.cluster.refuse("apply ConfigMap/a", error), end: () => undefined };
};

describe("a hold that no condition contains is reported after 30 s, once, and until it ends", () => {
  test.for<{
    readonly hold: string;
    readonly start: () => Promise<Held>;
    readonly type: "Applied" | "Reconciling";
    readonly says: RegExp;
    readonly after: RegExp | undefined;
  }>([
    {
      hold: "a server that has no answer for one object",
      start: failingWith(new ApiUnavailableError("no answer for widgets", { status: 503 })),
      type: "Applied",
      says: /^False ApplyFailed: no answer for widgets$/,
      after: /^True Applied/,
    },
    {
      hold: "repeated write conflicts",
      start: failingWith(new ReplacedError("/ConfigMap/shop/a")),
      type: "Applied",
      says: /^False ApplyFailed: .* it was deleted or replaced meanwhile$/,
      after: /^True Applied/,
    },
    {
      hold: "local copies that are not filled",
      start: async () => {
        const bench = await aDeployedBench("a");
        bench.unsynced.add("configmaps");
        return { bench, end: () => bench.unsynced.clear() };
      },
      type: "Applied",
      says: /^False Progressing: Waiting: ConfigMap shop\/a \(.*\) is not applied: the objects of its kind have not been listed yet$/,
      after: /^True Applied/,
    },
    {
      hold: "a source that is not fetched or rendered, of a Release that is deployed",
      start: async () => {
        const bench = await aDeployedBench("a");
        bench.fail(undefined as never);
        return { bench, end: () => bench.commit("2", [map("a", "2")]) };
      },
      type: "Reconciling",
      says: /^True SourcePending: Waiting for its source to be fetched and rendered$/,
      after: undefined,
    },
    {
      hold: "a namespace that is not observed, of a Release that is deployed",
      start: async () => {
        const bench = await aDeployedBench("a");
        bench.rules = { state: "pending", message: "Waiting for Namespace shop to be observed" };
        return {
          bench,
          end: () => {
            bench.rules = undefined;
          },
        };
      },
      type: "Reconciling",
      says: /^True SourcePending: Waiting for Namespace shop to be observed$/,
      after: undefined,
    },
    {
      hold: "a pruned object whose deletion does not finish",
      start: async () => {
        const bench = await aDeployedBench("a", "b", "c");
        bench.cluster.lingers = ({ metadata }) => metadata.name === "c";
        bench.commit("1", [map("a"), map("b")], { tree: "tree-1" });
        await bench.reconcile();
        await bench.reconcile();
        bench.takeRequests();
        const leaving = bench.live("ConfigMap", "c");
        if (leaving === undefined) throw new Error("it is gone");
        return { bench, end: () => bench.vanish(leaving) };
      },
      type: "Applied",
      says: /^True Applied: Applied 2 objects; not deleted yet: ConfigMap shop\/c \(deletion started at 2026-01-01T00:00:00Z\)$/,
      after: /^True Applied: Applied 2 objects$/,
    },
    {
      hold: "a deletion that finalizers of others hold",
      start: async () => {
        const outside = { apiVersion: "v1", kind: "Namespace", metadata: { name: "extra" } };
        const bench = new ReconcileBench({ resource: { spec: { objects: [outside] } } });
        await bench.reconcile();
        const namespace = bench.cluster.objects.get("/Namespace//extra");
        if (namespace === undefined) throw new Error("there is none");
        const deletionTimestamp = "2026-01-01T00:00:00Z";
        const of = <Type extends LiveObject>(object: Type, more: object): Type => ({
          ...object,
          metadata: { ...object.metadata, resourceVersion: "9000", deletionTimestamp, ...more },
        });
        bench.deliver(bench.cluster.put(of(namespace, { finalizers: ["example.dev/x"] })));
        bench.edit(of(bench.resource, {}));
        bench.takeRequests();
        return { bench, end: () => bench.vanish(namespace) };
      },
      type: "Applied",
      says: /^False Deleting: Waiting for Namespace extra to be deleted; finalizers block it$/,
      after: /^False Deleting/,
    },
  ])("$hold", async ({ start, type, says, after }) => {
    const held = await start();
    const before = describeCondition(held, type);
    const isNew = conditionsOf(held).length === 0;
    expect(await run(held)).toEqual([]);
    await held.bench.clock.advance(longMs - 1);
    expect(await run(held)).toEqual([]);
    expect(isNew ? undefined : describeCondition(held, type)).toEqual(before);
    await held.bench.clock.advance(1);
    // A status about a rollout in progress is withheld for a short time.
    const writes = [await run(held), await held.bench.clock.advance(2_000), await run(held)].flat();
    expect(writes.filter((write) => write !== undefined)).toHaveLength(1);
    expect(describeCondition(held, type)).toMatch(says);
    await held.bench.clock.advance(longMs);
    expect(await run(held)).toEqual([]);
    held.end();
    await held.bench.reconcile();
    if (after === undefined) expect(describeCondition(held, type)).toBeUndefined();
    else expect(describeCondition(held, type)).toMatch(after);
  });

  test("is requeued for the report if nothing else requeues it", async () => {
    const bench = await aDeployedBench("a");
    bench.unsynced.add("configmaps");
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: longMs });
  });

  test.for([0, 429])(
    "is not reported while the API server does not respond or throttles (%i)",
    async (status) => {
      const held = await failingWith(new ApiUnavailableError("no answer", { status }))();
      for (let count = 0; count < 3; count++) {
        expect(await run(held)).toEqual([]);
        await held.bench.clock.advance(longMs);
      }
      expect(conditionsOf(held)).toEqual([]);
    },
  );
});
