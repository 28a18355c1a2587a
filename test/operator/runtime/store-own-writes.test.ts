import { describe, expect, test } from "vitest";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { aLiveObject, type LiveObjectOptions, widgets } from "../../fakes/objects.ts";
import { RecordingHandler } from "../../fakes/recording-handler.ts";

const indexes = { set: ({ metadata }: LiveObject) => metadata.labels?.["set"] };

/** A store that holds shop/web@10, as seen up to version 20. */
async function aFilledStore() {
  const store = new WatchedStore({ kind: widgets, indexes });
  const handler = new RecordingHandler();
  store.subscribe(handler);
  await store.replace(listed(web("10")), "20");
  handler.take();
  return { store, handler };
}

const web = (resourceVersion: string, options: LiveObjectOptions = {}) =>
  aLiveObject({ resourceVersion, ...options });
const listed = (...objects: readonly LiveObject[]) =>
  new Map(objects.map((object) => [keyOf(object), object]));
const versionOf = (store: WatchedStore) => store.get("shop/web")?.metadata.resourceVersion;

describe("WatchedStore.written()", () => {
  test("case 31: our write is read at once, and earlier events do not revert it", async () => {
    const { store } = await aFilledStore();
    store.written(aLiveObject({ name: "child", resourceVersion: "25", labels: { set: "mine" } }));
    expect(store.get("shop/child")).toBeDefined();
    expect(store.byIndex("set", "mine")).toHaveLength(1);

    store.written(web("26"));
    store.apply({ type: "MODIFIED", object: web("24") });
    expect(versionOf(store)).toBe("26");
    await store.replace(listed(web("24")), "24");
    expect(versionOf(store)).toBe("26");
    expect(store.get("shop/child")).toBeDefined();
  });

  test("it causes no notification, nor does its event; later changes do", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("21"));
    store.written(web("22"));
    store.written(web("23"));
    for (const version of ["10", "21", "22", "23"]) store.apply({ type: "MODIFIED", object: web(version) });
    expect(handler.take()).toEqual([]);
    store.apply({ type: "MODIFIED", object: web("24") });
    expect(handler.take()).toEqual(["updated shop/web@24"]);
  });

  test("later changes are reported with the last state that handlers received", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("22"));
    store.apply({ type: "MODIFIED", object: web("23") });
    expect(handler.last?.old?.metadata.resourceVersion).toBe("10");
    store.written(web("24"));
    await store.replace(listed(web("25")), "25");
    expect(handler.last?.old?.metadata.resourceVersion).toBe("23");
  });

  test("its responses may arrive in any order", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("22"));
    store.written(web("21"));
    expect(versionOf(store)).toBe("22");
    store.apply({ type: "MODIFIED", object: web("21") });
    store.apply({ type: "MODIFIED", object: web("22") });
    expect(handler.take()).toEqual([]);
  });

  test("a change of another manager just before is reported, although our write is newer", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("22"));
    store.apply({ type: "MODIFIED", object: web("21") });
    expect(handler.take()).toEqual(["updated shop/web@22"]);
    expect(handler.last?.old?.metadata.resourceVersion).toBe("10");
    store.apply({ type: "MODIFIED", object: web("22") });
    expect(handler.take()).toEqual([]);
  });

  test("a possible change of another manager in a gap around our write is reported", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("22"));
    await store.replace(listed(web("22")), "25");
    expect(handler.take()).toEqual(["updated shop/web@22"]);
    await store.replace(listed(web("22")), "26");
    expect(handler.take()).toEqual([]);
  });

  test("a change of another manager in a list is reported, although our write is newer", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("25"));
    await store.replace(listed(web("21")), "22");
    expect(versionOf(store)).toBe("25");
    expect(handler.take()).toEqual(["updated shop/web@25"]);
  });

  test("a response about an already deleted object does not restore it", async () => {
    const { store } = await aFilledStore();
    store.apply({ type: "DELETED", object: web("22") });
    store.written(web("21"));
    expect(store.get("shop/web")).toBeUndefined();
  });

  test("an object that we created is kept after an older list, and removed by a newer one", async () => {
    const { store, handler } = await aFilledStore();
    store.written(aLiveObject({ name: "new", resourceVersion: "25" }));
    await store.replace(listed(web("10")), "24");
    expect(store.get("shop/new")).toBeDefined();
    await store.replace(listed(web("10")), "26");
    expect(store.get("shop/new")).toBeUndefined();
    expect(handler.take()).toEqual(["deleted shop/new@25 (unseen)"]);
  });

  test("when our object replaced one that another client deleted, handlers receive both", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("25", { uid: "ours" }));
    store.apply({ type: "DELETED", object: web("24") });
    expect(versionOf(store)).toBe("25");
    expect(handler.take()).toEqual(["updated shop/web@25 (uid-of-web → ours)"]);
    store.apply({ type: "ADDED", object: web("25", { uid: "ours" }) });
    expect(handler.take()).toEqual([]);
  });
});

describe("WatchedStore.removed()", () => {
  test("it removes the object and reports at once; late events do not restore it", async () => {
    const { store, handler } = await aFilledStore();
    store.removed("shop/web", "uid-of-web");
    expect(handler.take()).toEqual(["deleted shop/web@10"]);
    store.apply({ type: "MODIFIED", object: web("21") });
    store.written(web("22"));
    await store.replace(listed(web("22")), "23");
    store.apply({ type: "DELETED", object: web("24") });
    expect(store.get("shop/web")).toBeUndefined();
    expect(handler.take()).toEqual([]);
  });

  test("another object of the same name is accepted", async () => {
    const { store, handler } = await aFilledStore();
    store.removed("shop/web", "uid-of-web");
    handler.take();
    store.apply({ type: "ADDED", object: web("30", { uid: "another" }) });
    expect(versionOf(store)).toBe("30");
    expect(handler.take()).toEqual(["added shop/web@30"]);
  });

  test("the replaced object is not restored either, whose deletion the watch has not reported yet", async () => {
    const { store, handler } = await aFilledStore();
    store.written(web("22"));
    store.written(web("25", { uid: "its-successor" }));
    store.removed("shop/web", "its-successor");
    handler.take();
    store.apply({ type: "MODIFIED", object: web("21") });
    store.apply({ type: "MODIFIED", object: web("22") });
    store.apply({ type: "DELETED", object: web("23") });
    store.apply({ type: "ADDED", object: web("25", { uid: "its-successor" }) });
    expect(store.get("shop/web")).toBeUndefined();
    expect(handler.take()).toEqual([]);
    store.apply({ type: "DELETED", object: web("26", { uid: "its-successor" }) });
    expect(store.ownWrites).toBe(0);
  });

  test("it does not change another object that now has the name", async () => {
    const { store, handler } = await aFilledStore();
    store.removed("shop/web", "an-older-uid");
    expect(versionOf(store)).toBe("10");
    expect(handler.take()).toEqual([]);
  });

  test("removals are dropped after the deletion, a newer list or a second newer bookmark", async () => {
    const { store } = await aFilledStore();
    const bookmark = (resourceVersion: string) =>
      store.apply({ type: "BOOKMARK", resourceVersion, initialEventsEnd: false });
    const remove = (name: string) => store.removed(`shop/${name}`, `uid-of-${name}`);
    remove("web");
    expect(store.ownWrites).toBe(1);
    store.apply({ type: "DELETED", object: web("21") });
    expect(store.ownWrites).toBe(0);

    remove("b");
    await store.replace(new Map(), "30");
    expect(store.ownWrites).toBe(0);

    remove("c");
    bookmark("30");
    bookmark("31");
    expect(store.ownWrites).toBe(1);
    bookmark("32");
    expect(store.ownWrites).toBe(0);
  });
});
