import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { load } from "../../../operator/desire/chart/load.ts";
import { apply } from "../../../operator/engine/apply.ts";
import { Refusals } from "../../../operator/engine/refusals.ts";
import { NotOwnedError, ObjectRejectedError, ReplacedError } from "../../../operator/errors.ts";
import type { Manifest } from "../../../synth/manifest.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { ReconcileBench } from "../../fakes/reconcile-bench.ts";

const kind = aGadgetKind({ children: [ConfigMap] });

function aManifest(name: string): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } };
}

/** Applies ConfigMaps by name, stage by stage, all as new ones. */
function anApply() {
  const bench = new ReconcileBench({ kind });
  const loaded = load("shop/web", kind, bench.stores);
  if (loaded === undefined) throw new Error("there is no resource");
  const refusals = new Refusals(bench.clock);
  const counted: string[] = [];
  const count = (did: string, objects: number): void => void counted.push(`${objects} ${did}`);
  const reported: string[] = [];
  const failed: unknown[] = [];
  const run = (...stages: readonly (readonly string[])[]) =>
    apply(
      stages.map((names) =>
        names.map((name) => ({
          kind: ConfigMap,
          manifest: aManifest(name),
          guard: { mode: "create" } as const,
          live: undefined,
          because: "missing" as const,
        })),
      ) as Parameters<typeof apply>[0],
      {
        loaded,
        cluster: bench.cluster,
        storeOf: (of) => bench.stores.children(of),
        refusals,
        lost: bench.lost,
        count,
        onResult: ({ live, was }) => void reported.push(`${live.metadata.name} ${was}`),
        onFailed: (error) => void failed.push(error),
      },
    );
  return { bench, run, loaded, counted, reported, failed };
}

function onServer(name: string, metadata: Partial<LiveObject["metadata"]>): LiveObject {
  const manifest = aManifest(name);
  return {
    ...manifest,
    metadata: { ...manifest.metadata, uid: `uid-of-${name}`, resourceVersion: "1", ...metadata },
    ours: false,
  };
}

const rejected = (name: string) => new ObjectRejectedError(`/ConfigMap/shop/${name}`, `no ${name}`);

describe("apply()", () => {
  test("counts the result of each apply that was sent", async () => {
    const { bench, run, counted } = anApply();
    bench.cluster.refuse("apply ConfigMap/b", rejected("b"));
    await expect(run(["a", "b"])).rejects.toThrow(ObjectRejectedError);
    expect(counted.toSorted()).toEqual(["1 created", "1 rejected"]);
    // It was refused a moment ago, and is not sent again.
    await expect(run(["b"])).rejects.toThrow(ObjectRejectedError);
    expect(counted).toHaveLength(2);
  });

  test("applies stage by stage, and writes the responses into the store", async () => {
    const { bench, run } = anApply();
    const results = await run(["a", "b"], ["c"]);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "apply ConfigMap/b", "apply ConfigMap/c"]);
    expect(results.map(({ was }) => was)).toEqual(["applied", "applied", "applied"]);
    expect(bench.stores.children(ConfigMap).get("shop/c")?.metadata.uid).toBeDefined();
  });

  test("completes a stage with a failure and reports its results, and starts no other", async () => {
    const { bench, run, reported } = anApply();
    bench.cluster.refuse("apply ConfigMap/a", rejected("a"));
    await expect(run(["first"], ["a", "b"], ["c"])).rejects.toThrow("no a");
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/first", "apply ConfigMap/a", "apply ConfigMap/b"]);
    expect(reported).toEqual(["first applied", "b applied"]);
    expect(bench.stores.children(ConfigMap).get("shop/b")).toBeDefined();
  });

  test("throws the first failure in apply order, for any order of the responses, and reports all of them", async () => {
    const { bench, run, failed } = anApply();
    bench.cluster.refuse("apply ConfigMap/b", rejected("b"));
    bench.cluster.refuse("apply ConfigMap/a", rejected("a"));
    await expect(run(["a", "b"])).rejects.toThrow("no a");
    expect(failed).toEqual([rejected("a"), rejected("b")]);
  });

  test("finds its own object after a lost response, and stops: the plan is recomputed", async () => {
    const { bench, run, loaded } = anApply();
    bench.cluster.put({ ...onServer("a", { labels: { "fairlead.dev/set": loaded.set } }), ours: true });
    const results = await run(["a"], ["b"]);
    expect(results.map(({ was }) => was)).toEqual(["ours"]);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "read ConfigMap/a"]);
  });

  test("takes over the fields of an object that the resource controls already", async () => {
    const { bench, run, loaded } = anApply();
    const { apiVersion, kind: name, metadata } = loaded.resource;
    const owner = { apiVersion, kind: name, name: metadata.name, uid: metadata.uid, controller: true };
    bench.cluster.put(onServer("a", { ownerReferences: [owner] }));
    const results = await run(["a"], ["b"]);
    expect(results.map(({ was, live }) => [was, live.ours])).toEqual([["adopted", true]]);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "read ConfigMap/a", "take over ConfigMap/a"]);
  });

  test("does not change an object of another owner, and names the owner", async () => {
    const { bench, run } = anApply();
    bench.cluster.put(onServer("a", {}));
    const failure = run(["a"]);
    await expect(failure).rejects.toThrow(NotOwnedError);
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "read ConfigMap/a"]);
    // And does not repeat the request at once
    await expect(run(["a"])).rejects.toThrow(NotOwnedError);
    expect(bench.takeRequests()).toEqual([]);
  });

  test("plans again if the conflicting object no longer exists at the time of the read", async () => {
    const { bench, run } = anApply();
    bench.cluster.put(onServer("a", {}));
    bench.cluster.read = async () => undefined;
    await expect(run(["a"])).rejects.toThrow(ReplacedError);
  });

  test("sends nothing for an empty plan", async () => {
    const { bench, run } = anApply();
    expect(await run()).toEqual([]);
    expect(bench.takeRequests()).toEqual([]);
  });
});
