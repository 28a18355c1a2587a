import { describe, expect, test } from "vitest";
import { ConfigMap, Job } from "../../../crds/core-kinds.ts";
import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import { type PruneOptions, propagationOfReplaced, prune } from "../../../operator/engine/prune.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { ReconcileBench } from "../../fakes/reconcile-bench.ts";

const kind = aGadgetKind({ children: [ConfigMap] });

/** Objects that exist and that the store knows. */
function someObjects(...metadata: readonly (Partial<LiveObject["metadata"]> & { readonly name: string })[]) {
  const bench = new ReconcileBench({ kind });
  const objects = metadata.map(({ name, ...rest }) => {
    const live = bench.cluster.put(aLiveObject({ kind: ConfigMap, name, metadata: rest }));
    bench.deliver(live);
    return live;
  });
  const run = () => {
    const storeOf = (of: ObjectKind) => bench.stores.children(of);
    const owned = objects.map((live) => ({ kind: ConfigMap, live }));
    return prune(owned, { cluster: bench.cluster, storeOf, lost: bench.lost });
  };
  const isKnown = (name: string) => bench.stores.children(ConfigMap).get(`shop/${name}`) !== undefined;
  return { bench, run, isKnown, objects };
}

describe("prune()", () => {
  test("deletes one object after the other, in the given order", async () => {
    const { bench, run, isKnown, objects } = someObjects({ name: "b" }, { name: "a" });
    await run();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/b", "delete ConfigMap/a"]);
    expect([isKnown("a"), isKnown("b")]).toEqual([false, false]);
    // Their end, when the watch reports it, is not a loss.
    for (const live of objects) bench.lost.note(live, ["shop/web"]);
    expect(objects.map((live) => bench.lost.has("shop/web", idOf(live)))).toEqual([false, false]);
  });

  test("keeps an object with finalizers in the store, until an event reports its end", async () => {
    const { run, isKnown } = someObjects({ name: "a", finalizers: ["example.dev/hold"] });
    await run();
    expect(isKnown("a")).toBe(true);
  });

  test("requests deletion of exactly the object that was observed, in the background", async () => {
    const { bench, run } = someObjects({ name: "a", uid: "seen" });
    const asked: unknown[] = [];
    bench.cluster.delete = async (ref, options) => void asked.push([ref.name, ref.namespace, options]);
    await run();
    expect(asked).toEqual([["a", "shop", { uid: "seen", propagation: "Background" }]]);
  });

  test("keeps a running Job in the store until its pods are deleted, if another one replaces it", async () => {
    const bench = new ReconcileBench({ kind: aGadgetKind({ children: [Job] }) });
    const job = bench.cluster.put(aLiveObject({ kind: Job, name: "once" }));
    bench.deliver(job);
    const asked: unknown[] = [];
    const cluster: PruneOptions["cluster"] = {
      delete: async (_, { propagation }) => void asked.push(propagation),
    };
    const storeOf = (of: ObjectKind) => bench.stores.children(of);
    const options = { cluster, storeOf, lost: bench.lost };
    await prune([{ kind: Job, live: job }], { ...options, isReplaced: true });
    await prune([{ kind: Job, live: job }], options);
    expect(asked).toEqual(["Foreground", "Background"]);
  });

  test("stops at the first object that cannot be deleted, and drops only the deleted ones", async () => {
    const { bench, run, isKnown, objects } = someObjects({ name: "a" }, { name: "b" }, { name: "c" });
    bench.cluster.refuse("delete ConfigMap/b", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(run()).rejects.toThrow("no answer");
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a", "delete ConfigMap/b"]);
    expect([isKnown("a"), isKnown("b"), isKnown("c")]).toEqual([false, true, true]);
    // If b is deleted now, another client did it.
    for (const live of objects.slice(0, 2)) bench.lost.note(live, ["shop/web"]);
    expect(objects.map((live) => bench.lost.has("shop/web", idOf(live)))).toEqual([false, true, false]);
  });
});

const aJob = (conditions?: readonly object[]) =>
  aLiveObject({ kind: Job, name: "once", fields: { status: { conditions } } });

describe("propagationOfReplaced()", () => {
  test.each([
    { what: "a Job that is unobserved", live: aJob(), is: "Foreground" },
    {
      what: "a Job whose pods fail",
      live: aJob([{ type: "FailureTarget", status: "True" }]),
      is: "Foreground",
    },
    { what: "a suspended Job", live: aJob([{ type: "Suspended", status: "True" }]), is: "Foreground" },
    { what: "a Job that is resumed", live: aJob([{ type: "Complete", status: "False" }]), is: "Foreground" },
    { what: "a completed Job", live: aJob([{ type: "Complete", status: "True" }]), is: "Background" },
    { what: "a failed Job", live: aJob([{ type: "Failed", status: "True" }]), is: "Background" },
    { what: "a ConfigMap", live: aLiveObject({ kind: ConfigMap, name: "a" }), is: "Background" },
  ])("$what is deleted in the $is", ({ live, is }) => {
    expect(propagationOfReplaced(live)).toBe(is);
  });
});
