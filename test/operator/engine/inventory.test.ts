import { describe, expect, test } from "vitest";
import { composeInventory, entriesToRecord, wavesOf } from "../../../operator/engine/inventory.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aSourceManifest, asOwned, asPrepared } from "../../fakes/releases.ts";

const manifests = ["b", "a"].map((name) => aSourceManifest("v1", "ConfigMap", name));
const prepared = asPrepared(manifests);
const owned = prepared.objects.map(({ manifest }) => asOwned(manifest));

describe("composeInventory()", () => {
  test("lists our existing objects, sorted", () => {
    const [first, second] = owned;
    const others = second && {
      ...second,
      live: { ...second.live, metadata: { ...second.live.metadata, labels: { [stamps.set]: "x" } } },
    };
    expect(composeInventory({ owned, prepared, previous: undefined, isComplete: true })).toEqual({
      entries: ["/ConfigMap/shop/a", "/ConfigMap/shop/b"],
      deployed: 2,
    });
    const some = [first, others].flatMap((one) => one ?? []);
    expect(composeInventory({ owned: some, prepared, previous: undefined, isComplete: false })).toEqual({
      entries: ["/ConfigMap/shop/b"],
    });
  });

  test("records the number of objects of the last complete deployment", () => {
    const previous = { entries: [], deployed: 7 };
    expect(composeInventory({ owned, prepared, previous, isComplete: false }).deployed).toBe(7);
    expect(composeInventory({ owned, prepared, previous, isComplete: true }).deployed).toBe(2);
  });

  test("keeps the declared order, with remaining earlier objects as the first to be deleted", () => {
    const ordered = asPrepared(manifests, { 1: [0] });
    expect(wavesOf(ordered)).toEqual([["/ConfigMap/shop/b"], ["/ConfigMap/shop/a"]]);
    const left = asOwned(
      asPrepared([aSourceManifest("v1", "ConfigMap", "old")]).objects[0]?.manifest ?? (manifests[0] as never),
    );
    const previous = {
      entries: [],
      waves: [["/ConfigMap/shop/gone", "/ConfigMap/shop/old"], ["/ConfigMap/shop/a"]],
    };
    expect(
      composeInventory({ owned: [...owned, left], prepared: ordered, previous, isComplete: false }).waves,
    ).toEqual([["/ConfigMap/shop/b"], ["/ConfigMap/shop/a"], ["/ConfigMap/shop/old"]]);
    expect(composeInventory({ owned, prepared, previous, isComplete: true }).waves).toBeUndefined();
  });
});

describe("composeInventory() of recorded objects that are not observed", () => {
  const previous = { entries: ["/ConfigMap/shop/gone", "/Secret/shop/hidden"] };

  test("drops those that do not exist, and keeps those that may exist", () => {
    const input = { owned: [], prepared, previous, isComplete: true };
    expect(composeInventory(input).entries).toEqual([]);
    const mayExist = (id: string) => id.startsWith("/Secret/");
    expect(composeInventory({ ...input, mayExist }).entries).toEqual(["/Secret/shop/hidden"]);
  });
});

describe("entriesToRecord()", () => {
  const [first, second] = prepared.objects;
  if (first === undefined || second === undefined) throw new Error("there are two");
  const recordFor = (plan: Partial<Parameters<typeof entriesToRecord>[0]["plan"]>, ...recorded: string[]) =>
    entriesToRecord({
      plan: { taken: [], done: [], others: [], ...plan },
      prepared,
      recorded: new Set(recorded),
    });

  test("returns all desired objects in addition to the recorded ones, when the first of them is applied", () => {
    expect(recordFor({ taken: [first.id] }, "/Secret/shop/old")).toEqual([
      "/ConfigMap/shop/a",
      "/ConfigMap/shop/b",
      "/Secret/shop/old",
    ]);
  });

  test("omits finished Jobs and namespaces of others", () => {
    expect(recordFor({ taken: [first.id], done: [second] })).toEqual([first.id]);
    expect(recordFor({ taken: [first.id], others: [second] })).toEqual([first.id]);
  });

  test("returns nothing if all objects to apply are recorded, also if later ones are not", () => {
    expect(recordFor({ taken: [first.id] }, first.id)).toBeUndefined();
    expect(recordFor({})).toBeUndefined();
  });
});

describe("wavesOf()", () => {
  test("puts objects that are independent of each other into one step", () => {
    const names = ["a", "b", "c", "d"].map((name) => aSourceManifest("v1", "ConfigMap", name));
    expect(wavesOf(asPrepared(names, { 1: [0], 2: [0], 3: [1, 2] }))).toEqual([
      ["/ConfigMap/shop/a"],
      ["/ConfigMap/shop/b", "/ConfigMap/shop/c"],
      ["/ConfigMap/shop/d"],
    ]);
  });
});
