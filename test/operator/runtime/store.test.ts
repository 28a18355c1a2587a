import { describe, expect, test } from "vitest";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { RecordingHandler } from "../../fakes/recording-handler.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

const indexes = {
  set: ({ metadata }: LiveObject) => metadata.labels?.["set"],
  parts: ({ metadata }: LiveObject) => metadata.labels?.["parts"]?.split("-") ?? [],
};

function aStore() {
  const log = new RecordingLogger();
  const store = new WatchedStore({ kind: widgets, indexes, log });
  const handler = new RecordingHandler();
  store.subscribe(handler);
  return { store, handler, log };
}

function listed(...objects: readonly LiveObject[]): ReadonlyMap<string, LiveObject> {
  return new Map(objects.map((object) => [keyOf(object), object]));
}

const names = (objects: Iterable<LiveObject>) => [...objects].map(({ metadata }) => metadata.name);

describe("WatchedStore", () => {
  test("it contains the objects of the watch", () => {
    const { store, handler } = aStore();
    store.apply({ type: "ADDED", object: aLiveObject({ name: "a", resourceVersion: "1" }) });
    store.apply({ type: "ADDED", object: aLiveObject({ name: "b", resourceVersion: "2" }) });
    store.apply({ type: "MODIFIED", object: aLiveObject({ name: "a", resourceVersion: "3" }) });
    store.apply({ type: "DELETED", object: aLiveObject({ name: "b", resourceVersion: "4" }) });
    expect(store.get("shop/a")?.metadata.resourceVersion).toBe("3");
    expect(store.get("shop/b")).toBeUndefined();
    expect(names(store.list())).toEqual(["a"]);
    expect(handler.take()).toEqual([
      "added shop/a@1",
      "added shop/b@2",
      "updated shop/a@3",
      "deleted shop/b@4",
    ]);
  });

  test("an index finds objects in the order of names, and follows their changes", () => {
    const { store } = aStore();
    for (const [index, name] of ["c", "a", "b"].entries()) {
      const resourceVersion = String(index + 1);
      store.apply({ type: "ADDED", object: aLiveObject({ name, resourceVersion, labels: { set: "one" } }) });
    }
    expect(names(store.byIndex("set", "one"))).toEqual(["a", "b", "c"]);

    store.apply({
      type: "MODIFIED",
      object: aLiveObject({ name: "b", resourceVersion: "4", labels: { set: "two" } }),
    });
    store.apply({ type: "DELETED", object: aLiveObject({ name: "a", resourceVersion: "5" }) });
    expect(names(store.byIndex("set", "one"))).toEqual(["c"]);
    expect(names(store.byIndex("set", "two"))).toEqual(["b"]);
    store.apply({ type: "MODIFIED", object: aLiveObject({ name: "c", resourceVersion: "6" }) });
    expect(store.byIndex("set", "one")).toEqual([]);
  });

  test("an object may have several values in an index", () => {
    const { store } = aStore();
    store.apply({ type: "ADDED", object: aLiveObject({ resourceVersion: "1", labels: { parts: "x-y" } }) });
    store.apply({
      type: "MODIFIED",
      object: aLiveObject({ resourceVersion: "2", labels: { parts: "y-z" } }),
    });
    expect(["x", "y", "z"].map((part) => store.byIndex("parts", part).length)).toEqual([0, 1, 1]);
    expect(() => store.byIndex("owner", "x")).toThrow(/no such index/);
  });

  test("case 15: a late handler receives all objects first, flagged initial, then the changes", async () => {
    const { store } = aStore();
    const objects = Array.from({ length: 1_000 }, (_, i) =>
      aLiveObject({ name: `w${i}`, resourceVersion: `${i + 1}` }),
    );
    await store.replace(listed(...objects), "1000");
    const late = new RecordingHandler();
    const subscription = store.subscribe(late);
    expect(subscription.hasSynced).toBe(true);
    store.apply({ type: "ADDED", object: aLiveObject({ name: "new", resourceVersion: "1001" }) });
    const lines = late.take();
    expect(lines).toHaveLength(1_001);
    expect(lines.slice(0, 1_000).every((line) => line.endsWith("(initial)"))).toBe(true);
    expect(lines.at(-1)).toBe("added shop/new@1001");

    subscription.unsubscribe();
    store.apply({ type: "DELETED", object: aLiveObject({ name: "new", resourceVersion: "1002" }) });
    expect(late.take()).toEqual([]);
  });

  test("a subscription has synced only after the last initial object was delivered", async () => {
    const { store } = aStore();
    const during: boolean[] = [];
    const subscription = store.subscribe({
      added: () => during.push(subscription.hasSynced || store.hasSynced),
      updated: () => {},
      deleted: () => {},
    });
    await store.replace(listed(aLiveObject({ name: "a" }), aLiveObject({ name: "b" })), "5");
    expect(during).toEqual([false, false]);
    expect(subscription.hasSynced).toBe(true);
  });

  test("a handler that throws loses only that notification", () => {
    const { store, handler, log } = aStore();
    let calls = 0;
    store.subscribe({
      added: () => {
        calls++;
        if (calls === 1) throw new Error("no");
      },
      updated: () => {},
      deleted: () => {},
    });
    store.apply({ type: "ADDED", object: aLiveObject({ name: "a", resourceVersion: "1" }) });
    store.apply({ type: "ADDED", object: aLiveObject({ name: "b", resourceVersion: "2" }) });
    expect(calls).toBe(2);
    expect(handler.take()).toHaveLength(2);
    expect(log.messages("error")).toEqual(["A store handler failed; its notification is lost"]);
  });

  test("a list reports deletions first, and nothing for unchanged objects", async () => {
    const { store, handler } = aStore();
    const [a, b] = [
      aLiveObject({ name: "a", resourceVersion: "1" }),
      aLiveObject({ name: "b", resourceVersion: "2" }),
    ];
    await store.replace(listed(a, b), "2");
    handler.take();
    await store.replace(listed(aLiveObject({ name: "c", resourceVersion: "3" }), b), "4");
    expect(handler.take()).toEqual(["deleted shop/a@1 (unseen)", "added shop/c@3"]);
  });

  test("a list that is older than the observed state is that of a restored etcd, and replaces the state", async () => {
    const { store, handler } = aStore();
    await store.replace(
      listed(
        aLiveObject({ name: "a", resourceVersion: "90" }),
        aLiveObject({ name: "b", resourceVersion: "80" }),
      ),
      "100",
    );
    store.written(aLiveObject({ name: "a", resourceVersion: "101" }));
    handler.take();
    await store.replace(listed(aLiveObject({ name: "a", resourceVersion: "40" })), "50");
    expect(handler.take()).toEqual(["deleted shop/b@80 (unseen)", "updated shop/a@40"]);
    store.apply({ type: "MODIFIED", object: aLiveObject({ name: "a", resourceVersion: "51" }) });
    expect(store.get("shop/a")?.metadata.resourceVersion).toBe("51");
  });

  test("a long list yields to others, who may write meanwhile", async () => {
    const { store } = aStore();
    const objects = Array.from({ length: 1_700 }, (_, i) =>
      aLiveObject({ name: `w${i}`, resourceVersion: `${i + 1}` }),
    );
    await store.replace(listed(...objects), "1700");
    const changed = objects.map(({ metadata }, i) =>
      aLiveObject({ name: metadata.name, resourceVersion: `${i + 2_001}` }),
    );
    const replacing = store.replace(listed(...changed.slice(0, 1_600)), "4000");
    // Taken away, made again elsewhere, and a late answer about an object that the list no longer has.
    store.removed("shop/w1500", "uid-of-w1500");
    store.written(aLiveObject({ name: "w1501", resourceVersion: "4001" }));
    let replaced = false;
    void replacing.then(() => {
      replaced = true;
    });
    await new Promise(setImmediate);
    expect(replaced).toBe(false);
    store.written(aLiveObject({ name: "w1650", resourceVersion: "3999" }));
    await replacing;
    expect(store.size).toBe(1_599);
    expect(store.get("shop/w1500")).toBeUndefined();
    expect(store.get("shop/w1501")?.metadata.resourceVersion).toBe("4001");
    expect(store.get("shop/w1650")).toBeUndefined();
  });

  test("a waiting caller is notified when it has synced, and again after the kind was removed", async () => {
    const { store } = aStore();
    const { signal } = new AbortController();
    const waiting = store.whenSynced(signal);
    await store.replace(new Map(), "1");
    await waiting;
    await store.whenSynced(signal);
    store.loseKind();
    expect(store.hasSynced).toBe(false);

    const stop = new AbortController();
    const again = store.whenSynced(stop.signal);
    stop.abort(new Error("enough"));
    await expect(again).rejects.toThrow("enough");
    await expect(store.whenSynced(stop.signal)).rejects.toThrow("enough");
  });

  describe("of a kind whose definition has changed", () => {
    const pruned = aLiveObject({ name: "a", resourceVersion: "5", fields: { spec: {} } });
    const whole = aLiveObject({ name: "a", resourceVersion: "5", fields: { spec: { size: 1 } } });

    test("prefers the response to our write to the event of an older watch for that version", () => {
      const { store, handler } = aStore();
      store.apply({ type: "ADDED", object: pruned });
      handler.take();
      store.written(whole);
      expect(store.get("shop/a")).toBe(whole);
      expect(handler.take()).toEqual([]);
      store.apply({ type: "MODIFIED", object: pruned });
      expect(store.get("shop/a")).toBe(whole);
    });

    test.for([
      { what: "a status write returns another spec", generations: [1, 1], tells: ["updated shop/a@6"] },
      { what: "the write itself created it", generations: [1, 2], tells: [] },
    ])("reports our own write if $what", ({ generations: [before = 0, after = 0], tells }) => {
      const { store, handler } = aStore();
      const seen = { ...pruned, metadata: { ...pruned.metadata, generation: before } };
      store.apply({ type: "ADDED", object: seen });
      handler.take();
      store.written({ ...whole, metadata: { ...whole.metadata, resourceVersion: "6", generation: after } });
      expect(handler.take()).toEqual(tells);
      expect(store.get("shop/a")?.["spec"]).toEqual({ size: 1 });
    });

    test("uses an object of the same version from a list, and reports it", async () => {
      const { store, handler } = aStore();
      store.apply({ type: "ADDED", object: pruned });
      handler.take();
      const [same, other] = [structuredClone(pruned), whole];
      await store.replace(listed(store.prepare(same)), "5");
      expect(handler.take()).toEqual([]);
      await store.replace(listed(store.prepare(other)), "5");
      expect(store.get("shop/a")).toEqual(whole);
      expect(handler.take()).toEqual(["updated shop/a@5"]);
    });
  });
});
