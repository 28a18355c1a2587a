import { describe, expect, test } from "vitest";
import { createFolderClaims } from "../../../operator/runtime/folder-claims.ts";
import type { WatchedStore } from "../../../operator/runtime/store.ts";
import { folderOf } from "../../../synth/file-tree.ts";
import { aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { refused } from "../../fakes/watch-errors.ts";
import { WatchedKinds } from "../../fakes/watched-kinds.ts";

const Planet = { ...Gadget, kind: "Planet", plural: "planets", namespaced: false };
const kinds = [aGadgetKind({ children: [] }), { ...aGadgetKind({ children: [] }), definition: Planet }];

const folder = (name: string, namespace = "shop") =>
  folderOf(Gadget, { metadata: { name, namespace, uid: "", resourceVersion: "" } });
const planetFolder = (name: string) => folderOf(Planet, { metadata: { name, uid: "", resourceVersion: "" } });

/** Claims over a gadget `shop/web`, a planet `earth` and gadgets with the given names. */
async function someClaims({
  namespaces = [] as readonly string[],
  names = ["web"] as readonly string[],
  start = true,
} = {}) {
  const watched = new WatchedKinds({ kinds, namespaces });
  for (const name of names) {
    watched.source("resource", Gadget, namespaces[0]).put({ name, namespace: namespaces[0] ?? "shop" });
  }
  watched.source("resource", Planet).put({ kind: Planet, name: "earth" });
  if (start) await watched.start();
  const definitions = kinds.map(({ definition }) => definition);
  const claimOf = createFolderClaims({ kinds: definitions, stores: watched.stores });
  return { watched, claimOf, [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose]() };
}

describe("the claim on a folder", () => {
  test("is wanted while its resource exists, and gone afterwards", async () => {
    await using run = await someClaims();
    expect(run.claimOf(folder("web"))).toBe("wanted");
    expect(run.claimOf(folder("other"))).toBe("gone");
    expect(run.claimOf(folder("web", "elsewhere"))).toBe("gone");
    run.watched.source("resource", Gadget).remove("shop/web");
    await run.watched.clock.settle();
    expect(run.claimOf(folder("web"))).toBe("gone");
  });

  test("is also known for cluster-scoped kinds", async () => {
    await using run = await someClaims();
    expect(run.claimOf(planetFolder("earth"))).toBe("wanted");
    expect(run.claimOf(planetFolder("mars"))).toBe("gone");
  });

  test("is unknown before the list of its kind arrived", async () => {
    await using run = await someClaims({ start: false });
    expect(run.claimOf(folder("web"))).toBe("unknown");
    await run.watched.start();
    expect(run.claimOf(folder("web"))).toBe("wanted");
  });

  test("is unknown while the copies of its kind are older than needed", async () => {
    await using run = await someClaims();
    const { clock, stores } = run.watched;
    await clock.advance(1_000);
    run.watched.source("resource", Gadget).intercept = () => refused();
    for (const { kind, reflector } of stores.watched)
      if (kind === Gadget)
        void reflector.whenCurrent(clock.now(), new AbortController().signal).catch(() => {});
    expect(run.claimOf(folder("other"))).toBe("unknown");
    expect(run.claimOf(folder("web"))).toBe("wanted");
    expect(run.claimOf(planetFolder("mars"))).toBe("gone");
  });

  test("is unknown if the API server no longer has the kind", async () => {
    await using run = await someClaims();
    for (const { kind, store } of run.watched.stores.watched)
      if (kind === Gadget) (store as WatchedStore).loseKind();
    expect(run.claimOf(folder("other"))).toBe("unknown");
    expect(run.claimOf(planetFolder("mars"))).toBe("gone");
  });

  test("is unknown for unwatched kinds and namespaces", async () => {
    await using run = await someClaims({ namespaces: ["shop"] });
    expect(run.claimOf("shop/widgets.example.dev/web")).toBe("unknown");
    expect(run.claimOf("docs")).toBe("unknown");
    expect(run.claimOf(folder("web"))).toBe("wanted");
    expect(run.claimOf(folder("other"))).toBe("gone");
    expect(run.claimOf(folder("web", "elsewhere"))).toBe("unknown");
    expect(run.claimOf(planetFolder("mars"))).toBe("gone");
  });

  test("is found if the name is escaped, or looks like an escaped one", async () => {
    // Reserved on some systems, too long for a folder, and what the long one becomes.
    const long = "a".repeat(230);
    await using run = await someClaims({ names: ["con", long] });
    expect(folder("con")).not.toContain("/con");
    expect(run.claimOf(folder("con"))).toBe("wanted");
    expect(run.claimOf(folder(long))).toBe("wanted");
    expect(run.claimOf(folder("aux"))).toBe("gone");
    // A folder that does not belong to this resource
    expect(run.claimOf("shop/gadgets.example.dev/con")).toBe("gone");
  });

  test("is known in a watched namespace with an escaped name", async () => {
    await using run = await someClaims({ namespaces: ["con"] });
    expect(run.claimOf(folder("web", "con"))).toBe("wanted");
    expect(run.claimOf(folder("other", "con"))).toBe("gone");
  });

  test("is found for ten thousand folders in linear time", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `web-${index}`);
    await using run = await someClaims({ names });
    await run.watched.clock.settle({ turns: 200 });
    const folders = names.map((name) => folder(name));
    const startMs = performance.now();
    expect(folders.filter((one) => run.claimOf(one) !== "wanted")).toEqual([]);
    // A scan of all resources for each would take minutes.
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});
