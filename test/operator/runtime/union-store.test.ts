import { describe, expect, test } from "vitest";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { UnionStore } from "../../../operator/runtime/union-store.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";

const owner = ({ metadata }: LiveObject) => metadata.labels?.["owner"];
const inStore = (namespace: string, name: string, resourceVersion = "1") =>
  aLiveObject({ namespace, name, resourceVersion, labels: { owner: "me" } });

async function filled(...objects: readonly LiveObject[]): Promise<WatchedStore> {
  const store = new WatchedStore({ kind: widgets, indexes: { owner } });
  await store.replace(new Map(objects.map((object) => [keyOf(object), object])), "5");
  return store;
}

async function aUnion() {
  const [east, west] = [
    await filled(inStore("east", "a")),
    await filled(inStore("west", "a"), inStore("west", "b")),
  ];
  const union = UnionStore.of([
    { namespace: "east", store: east },
    { namespace: "west", store: west },
  ]);
  return { union, east, west };
}

describe("the union of stores", () => {
  test("is the store itself if there is only one", async () => {
    const store = await filled();
    expect(UnionStore.of([{ namespace: undefined, store }])).toBe(store);
  });

  test("cannot be created from no stores", () => {
    expect(() => UnionStore.of([])).toThrow("there are none");
  });

  test("reads from the namespace that a key names", async () => {
    const { union } = await aUnion();
    expect(union.get("west/b")?.metadata.name).toBe("b");
    expect(union.get("east/b")).toBeUndefined();
    expect(union.get("north/b")).toBeUndefined();
    expect(union.get("b")).toBeUndefined();
  });

  test("lists and finds by index across namespaces", async () => {
    const { union } = await aUnion();
    expect([...union.list()].map(keyOf)).toEqual(["east/a", "west/a", "west/b"]);
    expect(union.byIndex("owner", "me").map(keyOf)).toEqual(["east/a", "west/a", "west/b"]);
    expect(union.byIndex("owner", "you")).toEqual([]);
  });

  test("writes responses into the store of their namespace, and drops those of other namespaces", async () => {
    const { union, east, west } = await aUnion();
    union.written(inStore("east", "new", "9"));
    union.written(inStore("north", "new", "9"));
    union.removed("west/a", "uid-of-a");
    expect([...east.list()].map(keyOf)).toEqual(["east/a", "east/new"]);
    expect([...west.list()].map(keyOf)).toEqual(["west/b"]);
  });

  test("has synced when all stores have", async () => {
    const [one, other] = [await filled(), new WatchedStore({ kind: widgets, indexes: {} })];
    const union = UnionStore.of([
      { namespace: "east", store: one },
      { namespace: "west", store: other },
    ]);
    expect(union.hasSynced).toBe(false);
    await other.replace(new Map(), "5");
    expect(union.hasSynced).toBe(true);
  });
});
