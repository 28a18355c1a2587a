import { describe, expect, test } from "vitest";
import { podbuggertool } from "../../charts/bindings.ts";
import { groupKindOf, type LiveObject } from "../../crds/object.ts";
import { ApiUnavailableError, ObjectRejectedError, ReplacedError } from "../../operator/errors.ts";
import type { Publisher } from "../../operator/ports.ts";
import { anAddingKind, aSoughtPod } from "../fakes/adding-kind.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

/** A resource that selects pods, and existing pods. */
function aBench(...pods: readonly LiveObject[]): ReconcileBench {
  const resource = { labels: { seeks: "shop" }, spec: { objects: [aConfigMap("own")] } };
  const bench = new ReconcileBench({ kind: anAddingKind(), resource });
  for (const pod of pods) bench.deliver(bench.cluster.put(pod));
  return bench;
}

const add = (name: string) => `add Pod/${name} ephemeralcontainers`;
const rejected = (name: string) => new ObjectRejectedError(`/Pod/shop/${name}`, "the name is taken");

describe("a reconcile that adds to objects of others", () => {
  test("adds to them last, by one request each, changes no other fields of them, and reports it", async () => {
    const pods = [
      aSoughtPod("b"),
      aSoughtPod("a", { spec: { nodeName: "n" } }),
      aSoughtPod("c", { of: "x" }),
    ];
    const bench = aBench(...pods);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/own", add("a"), add("b"), "status Gadget/web"]);
    const after = bench.cluster.objects.get("/Pod/shop/a");
    expect(after?.metadata).toEqual({
      ...pods[1]?.metadata,
      resourceVersion: after?.metadata.resourceVersion,
    });
    expect(after?.ours).toBe(false);
    expect(bench.condition("Applied")).toBe("True Applied");
    expect(bench.events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual([
      "Extended: Extended Pod shop/a: added to its ephemeralcontainers",
      "Extended: Extended Pod shop/b: added to its ephemeralcontainers",
    ]);
    expect(Object.fromEntries(bench.counts)).toMatchObject({ created: 1, updated: 2 });
  });

  test("adds to a few objects at a time, so that other reconciles get a connection too", async () => {
    const bench = aBench(...Array.from({ length: 30 }, (_, index) => aSoughtPod(`pod-${index}`)));
    const add = bench.cluster.add.bind(bench.cluster);
    let [running, most] = [0, 0];
    bench.cluster.add = async (...given) => {
      most = Math.max(most, ++running);
      const live = await add(...given);
      running--;
      return live;
    };
    await bench.reconcile();
    expect(most).toBe(4);
    expect(bench.counts.get("updated")).toBe(30);
  });

  test("sends nothing when the addition is in place, for any other change in the object", async () => {
    const bench = aBench(aSoughtPod("a"));
    await bench.reconcile();
    bench.takeRequests();
    const pod = bench.cluster.objects.get("/Pod/shop/a") as LiveObject;
    bench.deliver(bench.cluster.put({ ...pod, status: { phase: "Running" } }));
    expect(await bench.reconcile()).toEqual({});
    expect(bench.takeRequests()).toEqual([]);
  });

  test("does not create missing objects, does not change terminating ones, and removes no addition", async () => {
    const leaving = aSoughtPod("leaving", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    const bench = aBench(aSoughtPod("a"), leaving);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/own", add("a"), "status Gadget/web"]);
    // No resource selects it any more.
    const pod = bench.cluster.objects.get("/Pod/shop/a") as LiveObject;
    bench.deliver(bench.cluster.put({ ...pod, metadata: { ...pod.metadata, labels: {} } }));
    await bench.reconcile();
    expect(bench.takeRequests().filter((request) => !request.startsWith("status"))).toEqual([]);
    expect(bench.cluster.objects.get("/Pod/shop/a")?.["spec"]).toEqual(pod["spec"]);
  });

  test("continues with the others when one is refused, names it, and does not send it again", async () => {
    const bench = aBench(aSoughtPod("a"), aSoughtPod("b"));
    bench.cluster.refuse(add("a"), rejected("a"));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/own", add("a"), add("b"), "status Gadget/web"]);
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
    expect(bench.events).toContainEqual(
      expect.objectContaining({
        type: "Warning",
        note: "The API server refuses Pod shop/a: the name is taken",
      }),
    );
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    // and when it is deleted, nothing is wrong
    bench.vanish(bench.cluster.objects.get("/Pod/shop/a") as LiveObject);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("does not report an object that is deleted at that moment: the event of its deletion does", async () => {
    const bench = aBench(aSoughtPod("a"));
    bench.cluster.refuse(add("a"), new ReplacedError("/Pod/shop/a"));
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("True Applied");
  });

  test("is retried after an error that may be temporary", async () => {
    const bench = aBench(aSoughtPod("a"));
    bench.cluster.refuse(add("a"), new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow(ApiUnavailableError);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test.for([
    {
      beside: "a rejected one",
      error: new ApiUnavailableError("no answer", { status: 503 }),
      isRetried: true,
    },
    {
      beside: "a rejected one, unless its object was deleted",
      error: new ReplacedError("/Pod/shop/b"),
      isRetried: false,
    },
  ])("is retried after an error that may be temporary beside $beside", async ({ error, isRetried }) => {
    const bench = aBench(aSoughtPod("a"), aSoughtPod("b"));
    bench.cluster.refuse(add("a"), rejected("a"));
    bench.cluster.refuse(add("b"), error);
    const run = await bench.reconcile().catch((thrown) => thrown);
    expect(run === error).toBe(isRetried);
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
  });

  test("sends an addition once that the server changes", async () => {
    const bench = aBench(aSoughtPod("a"));
    bench.cluster.rewrite = (object) =>
      object.kind === "Pod"
        ? { ...object, spec: { ephemeralContainers: [{ name: "shell", image: "mirror/busybox" }] } }
        : object;
    await bench.reconcile();
    expect(bench.takeRequests()).toContain(add("a"));
    const pod = bench.cluster.objects.get("/Pod/shop/a") as LiveObject;
    bench.deliver(bench.cluster.put({ ...pod, status: { phase: "Running" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
  });

  test("adds nothing for a label without =, and warns", async () => {
    // As a CRD without our validation accepts it.
    const resource = { spec: { label: "app", image: "busybox" } };
    const bench = new ReconcileBench({ kind: podbuggertool, resource });
    bench.deliver(bench.cluster.put(aSoughtPod("a")));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Podbuggertool/web"]);
    expect(bench.resource.status).toMatchObject({ installed: 0 });
    expect(bench.events).toMatchObject([
      {
        type: "Warning",
        reason: "SpecInvalid",
        note: expect.stringContaining("spec.label: must be key=value"),
      },
    ]);
  });

  test("publishes the resource's own objects, and nothing for a kind without own objects", async () => {
    const offered: string[] = [];
    const publisher: Publisher = {
      publish({ owner, render }) {
        offered.push(`${owner.groupKind} ${[...render().keys()].join()}`);
        return { state: "pending", sinceMs: 0 };
      },
      retire() {},
    };
    const kind = anAddingKind();
    const own = { labels: { seeks: "shop" }, spec: { objects: [aConfigMap("own")] } };
    const bench = new ReconcileBench({ kind, publisher, resource: own });
    bench.deliver(bench.cluster.put(aSoughtPod("a")));
    await bench.reconcile();
    expect(offered).toEqual([`${groupKindOf(kind.definition)} configmap-own.yaml`]);

    const owningNothing = new ReconcileBench({ kind: aGadgetKind({ children: [] }), publisher });
    await owningNothing.reconcile();
    expect(offered).toHaveLength(1);
    expect(owningNothing.condition("Published")).toBeUndefined();
    expect(owningNothing.condition("Ready")).toBe("True Reconciled");
  });
});
