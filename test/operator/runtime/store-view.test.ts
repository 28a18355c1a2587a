import { expect, test } from "vitest";
import { keyOf } from "../../../crds/object.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { StoreView } from "../../../operator/runtime/store-view.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { RecordingHandler } from "../../fakes/recording-handler.ts";

const web = (resourceVersion: string) => aLiveObject({ resourceVersion });

/** A store that holds shop/web@10, and a second user of it. */
async function aSharedStore() {
  const store = new WatchedStore({ kind: widgets, indexes: { all: () => "all" } });
  const view = new StoreView(store);
  const [first, second] = [new RecordingHandler(), new RecordingHandler()];
  store.subscribe(first);
  view.subscribe(second);
  await store.replace(new Map([[keyOf(web("10")), web("10")]]), "20");
  first.take();
  second.take();
  return { store, view, first, second };
}

test("a user of a store receives what another user writes, once, and both read it", async () => {
  const { store, view, first, second } = await aSharedStore();
  store.written(web("21"));
  expect(second.take()).toEqual(["updated shop/web@21"]);
  view.written(web("22"));
  expect(first.take()).toEqual(["updated shop/web@22"]);
  expect(view.get("shop/web")).toBe(store.get("shop/web"));
  for (const version of ["21", "22"]) store.apply({ type: "MODIFIED", object: web(version) });
  expect([...first.take(), ...second.take()]).toEqual([]);
});

test("an object that one user creates is added for the other", async () => {
  const { view, first, second } = await aSharedStore();
  view.written(aLiveObject({ name: "new", resourceVersion: "25" }));
  expect(first.take()).toEqual(["added shop/new@25"]);
  expect(second.take()).toEqual([]);
});

test("both users receive events of the watch, and removals by either", async () => {
  const { store, view, first, second } = await aSharedStore();
  store.apply({ type: "MODIFIED", object: web("24") });
  expect([...first.take(), ...second.take()]).toEqual(["updated shop/web@24", "updated shop/web@24"]);
  view.removed("shop/web", web("24").metadata.uid);
  expect([...first.take(), ...second.take()]).toEqual(["deleted shop/web@24", "deleted shop/web@24"]);
});

test("a user reads the current state of the store", async () => {
  const { view } = await aSharedStore();
  expect([view.kind, view.hasSynced, view.size]).toEqual([widgets, true, 1]);
  expect([...view.list()]).toEqual(view.byIndex("all", "all"));
  await view.whenSynced(new AbortController().signal);
});
