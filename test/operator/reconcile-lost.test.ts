import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { AlreadyThereError, ReplacedError } from "../../operator/errors.ts";
import { idOf } from "../../synth/manifest.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { childOf, ReconcileBench } from "../fakes/reconcile-bench.ts";

const two = { spec: { objects: [aConfigMap("a", { data: { x: "1" } }), aConfigMap("b")] } };

describe("a reconcile that finds objects of an earlier resource of the same name", () => {
  /** The resource was deleted and created again, and garbage collection has not run yet. */
  async function madeAgain(next: Partial<typeof two> = {}) {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    const { uid: before } = childOf(bench, "a").metadata;
    bench.edit({ ...bench.resource, ...next, metadata: { ...bench.resource.metadata, uid: "next" } });
    bench.takeRequests();
    return { bench, before };
  }

  test("deletes them and creates its own, after one read that shows that they are not newer", async () => {
    const { bench, before } = await madeAgain();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "read Gadget/web",
      "delete ConfigMap/a",
      "delete ConfigMap/b",
      "apply ConfigMap/a",
      "apply ConfigMap/b",
    ]);
    expect(childOf(bench, "a").metadata.uid).not.toBe(before);
    expect(bench.events.map(({ reason }) => reason)).not.toContain("Restored");
  });

  test("does not delete them if they have changed since: their owner may be the new resource", async () => {
    const { bench, before } = await madeAgain();
    bench.cluster.put(childOf(bench, "a"));
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Gadget/web", "delete ConfigMap/a"]);
    expect(bench.cluster.objects.get(idOf(childOf(bench, "a")))?.metadata.uid).toBe(before);
  });

  test("deletes those that are no longer desired, too, and creates nothing for them", async () => {
    const { bench } = await madeAgain({ spec: { objects: [aConfigMap("a")] } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "read Gadget/web",
      "delete ConfigMap/a",
      "apply ConfigMap/a",
      "read Gadget/web",
      "delete ConfigMap/b",
      "status Gadget/web",
    ]);
    expect(bench.events).toContainEqual(
      expect.objectContaining({
        reason: "Pruned",
        note: "Pruned ConfigMap shop/b: left by a deleted resource of the same name",
      }),
    );
  });

  test("does not delete those that are no longer desired if its copy of the resource is the old one", async () => {
    const { bench } = await madeAgain({ spec: { objects: [] } });
    bench.cluster.objects.delete(idOf(bench.resource));
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Gadget/web"]);
  });

  test("does not delete them if its copy of the resource is the old one", async () => {
    const { bench } = await madeAgain();
    bench.cluster.objects.delete(idOf(bench.resource));
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Gadget/web"]);
  });
});

describe("a reconcile that finds an object changed in each attempt", () => {
  test("names the object, and the command that shows who changes it", async () => {
    const bench = new ReconcileBench({ resource: two });
    await bench.reconcile();
    const objects = [aConfigMap("a", { data: { x: "2" } }), aConfigMap("b")];
    bench.edit({ ...bench.resource, spec: { objects } });
    bench.cluster.apply = async () => {
      throw new AlreadyThereError(idOf(childOf(bench, "a")));
    };
    await expect(bench.reconcile()).rejects.toThrow(
      'Cannot settle ConfigMap shop/a: another client makes changes at the same time; "kubectl get KIND NAME -o yaml --show-managed-fields" shows which one',
    );
  });
});

describe("a reconcile that finds an object missing", () => {
  test("recreates an object that another client deleted, and reports it in one event", async () => {
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

  test("recreates nothing that garbage collection deleted before the watch reported the resource's deletion", async () => {
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

  test.for([
    { when: "the watch reported its deletion before the response to its apply", isNoted: true },
    { when: "the watch has not seen it", isNoted: false },
  ])("recreates nothing for a deleted resource if an object was deleted, and $when", async ({ isNoted }) => {
    const bench = new ReconcileBench({ resource: two });
    const [apply, store] = [bench.cluster.apply.bind(bench.cluster), bench.stores.children(ConfigMap)];
    bench.cluster.apply = async (...request) => {
      const live = await apply(...request);
      if (isNoted) bench.lost.note(live, ["shop/web"]);
      return live;
    };
    // The store ignores a response that is older than what its watch has reported.
    store.written = () => {};
    await bench.reconcile();
    bench.cluster.objects.delete(idOf(bench.resource));
    bench.takeRequests();
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Gadget/web"]);
  });
});
