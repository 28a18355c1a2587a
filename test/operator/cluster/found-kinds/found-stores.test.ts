import { describe, expect, test } from "vitest";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Secret,
} from "../../../../crds/core-kinds.ts";
import { WatchError } from "../../../../operator/errors.ts";
import { aScene, inSet, setFor } from "../../../fakes/watched-releases.ts";

const forbidden = () => new WatchError("forbidden", { status: 403 });
const missing = () => new WatchError("not found", { status: 404 });

describe("the stores of Releases", () => {
  test("watch a kind from its first request, once they run, and only objects of sets", async () => {
    const scene = await aScene({ runs: false });
    const { stores, source, clock, take } = scene;
    expect(scene.sources.has("deployments.apps/v1")).toBe(false);
    const watched = stores.watch(Deployment, "shop/a");
    await clock.settle();
    expect(source(Deployment).calls).toEqual([]);
    expect(watched.hasSynced).toBe(false);
    scene.run();
    expect(await take()).toEqual(["shop/a"]);
    expect(watched.hasSynced).toBe(true);
    // A kind that is requested later is watched at once.
    stores.watch(Secret, "shop/a");
    source(Secret).put({ name: "token", ...inSet("b") });
    // The waiting resource, and the owner of the found object.
    expect(await take()).toEqual(["shop/b -100", "shop/a"]);
    expect(stores.watched.map(({ kind }) => kind)).toEqual(["Deployment", "Secret"]);
    await scene.end();
  });

  test("share the watch of a kind that is also a child kind of another, and do not end it", async () => {
    const scene = await aScene();
    const before = scene.sources.size;
    expect(scene.stores.watch(ConfigMap).hasSynced).toBe(true);
    expect(scene.sources.size).toBe(before);
    scene.source(ConfigMap).put({ name: "settings", ...inSet("a") });
    expect(await scene.take()).toEqual(["shop/a"]);
    await scene.end();
  });

  test("requeue no Release for an object that it did not record, for any label", async () => {
    const scene = await aScene();
    scene.stores.watch(Deployment);
    await scene.take();
    const server = scene.source(Deployment);
    server.put({ name: "planted", ...inSet("a") });
    server.put({ name: "web", namespace: "elsewhere", ...inSet("a") });
    server.remove("shop/planted");
    expect(await scene.take()).toEqual([]);
    server.put({ name: "web", ...inSet("a") });
    expect(await scene.take()).toEqual(["shop/a"]);
    await scene.end();
  });

  test("requeue the Release of an object, by its label, and report deleted objects", async () => {
    const scene = await aScene();
    scene.stores.watch(Deployment);
    await scene.take();
    const server = scene.source(Deployment);
    server.put({ name: "web", ...inSet("a") });
    expect(await scene.take()).toEqual(["shop/a"]);
    // Its owner changes: both must be notified.
    server.put({ name: "web", ...inSet("b") });
    expect(await scene.take()).toEqual(["shop/a", "shop/b"]);
    server.put({ name: "other", ...inSet("nobody") });
    expect(await scene.take()).toEqual([]);
    server.remove("shop/web");
    server.remove("shop/other");
    expect(await scene.take()).toEqual(["shop/b"]);
    expect(scene.gone).toEqual(["web of shop/b", "other of "]);
    await scene.end();
  });

  test("list the recorded objects of a set, of all kinds, and each object once although two versions contain it", async () => {
    const scene = await aScene();
    const old = { ...Deployment, version: "v1beta1" };
    for (const kind of [Deployment, old, Secret]) scene.stores.watch(kind);
    await scene.take();
    scene.source(Deployment).put({ name: "web", uid: "1", ...inSet("a") });
    scene.source(old).put({ name: "web", uid: "1", ...inSet("a") });
    scene.source(Secret).put({ name: "token", uid: "2", ...inSet("a") });
    scene.source(Secret).put({ name: "else", uid: "3", ...inSet("b") });
    scene.source(Secret).put({ name: "planted", uid: "4", ...inSet("a") });
    await scene.take();
    const recorded = new Set(["apps/Deployment/shop/web", "/Secret/shop/token", "/Secret/shop/else"]);
    expect(scene.stores.owned(setFor("a"), recorded).map(({ id, kind }) => [id, kind.version])).toEqual([
      ["apps/Deployment/shop/web", "v1"],
      ["/Secret/shop/token", "v1"],
    ]);
    await scene.end();
  });

  test("watch each namespace separately if only some are configured, and report which are watched", async () => {
    const scene = await aScene({ namespaces: ["shop", "west"] });
    const watched = scene.stores.watch(Deployment);
    scene.source(Deployment, "west").put({ name: "web", namespace: "west", ...inSet("a") });
    await scene.take();
    expect(watched.store.get("west/web")).toBeDefined();
    expect(["shop", "west", "east", undefined].map((place) => scene.stores.sees(place))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    await scene.end();
  });

  test("report the missing permission, retry slowly, and continue when it is granted", async () => {
    const scene = await aScene();
    const { stores, clock, take, refusals } = scene;
    refusals.set("deployments.apps/v1", forbidden);
    stores.watch(Deployment, "shop/a");
    expect(await take()).toEqual(["shop/a"]);
    const { refusal, hasSynced } = stores.watch(Deployment, "shop/a");
    expect(hasSynced).toBe(false);
    expect(refusal).toContain('add {group: "apps", resource: deployments} to the value releases.kinds');
    await clock.advance(3_600_000);
    // A few times in its first minute, then every half minute.
    expect(scene.source(Deployment).calls.length).toBeLessThan(150);
    expect(await take()).toEqual([]);
    refusals.clear();
    scene.source(Deployment).put({ name: "web", ...inSet("a") });
    await clock.advance(60_000);
    expect(await take()).toContain("shop/a");
    expect(stores.watch(Deployment).refusal).toBeUndefined();
    expect(stores.watch(Deployment).hasSynced).toBe(true);
    await scene.end();
  });

  test("notify the owners of objects when the permission to watch them is removed, and when it is restored", async () => {
    const scene = await aScene();
    const { stores, take, refusals, clock } = scene;
    const watched = stores.watch(Deployment);
    scene.source(Deployment).put({ name: "web", ...inSet("a") });
    await take();
    refusals.set("deployments.apps/v1", forbidden);
    await clock.advance(2_000);
    scene.source(Deployment).cut();
    await clock.advance(2_000);
    expect(await take()).toEqual(["shop/a"]);
    expect(watched.refusal).toContain("may not list and watch deployments.apps");
    stores.watch(Deployment, "shop/a");
    refusals.clear();
    await clock.advance(120_000);
    expect(await take()).toContain("shop/a");
    expect(watched.refusal).toBeUndefined();
    await scene.end();
  });

  test("name the namespaces in which a permission is missing", async () => {
    const scene = await aScene({ namespaces: ["shop", "west"] });
    scene.refusals.set("deployments.apps/v1 in west", forbidden);
    const watched = scene.stores.watch(Deployment);
    await scene.take();
    expect(watched.refusal).toContain('deployments.apps in namespace "west";');
    expect(watched.refusal).not.toContain("shop");
    await scene.end();
  });

  test("find a kind that is being created within a second, and retry slowly for a removed one", async () => {
    const scene = await aScene();
    const { stores, clock, refusals, take } = scene;
    refusals.set("deployments.apps/v1", missing);
    const watched = stores.watch(Deployment, "shop/a");
    await take();
    // The catalog must find out whether such a kind still exists.
    expect(scene.learnt).toContain("refresh");
    stores.watch(Deployment, "shop/a");
    await clock.advance(200);
    refusals.clear();
    await clock.advance(800);
    expect(watched.hasSynced).toBe(true);
    expect(await take()).toContain("shop/a");
    refusals.set("deployments.apps/v1", missing);
    scene.source(Deployment).cut();
    await clock.advance(60_000);
    expect(watched.hasSynced).toBe(false);
    expect(stores.owned(setFor("a"), new Set(["apps/Deployment/shop/web"]))).toEqual([]);
    const calls = scene.source(Deployment).calls.length;
    await clock.advance(600_000);
    expect(scene.source(Deployment).calls.length - calls).toBeLessThanOrEqual(61);
    // When it exists again, the catalog need not wait until its next discovery.
    scene.learnt.length = 0;
    refusals.clear();
    await clock.advance(15_000);
    expect(scene.learnt).toEqual(["refresh"]);
    await scene.end();
  });

  test("pass definitions of sets to the catalog before their Release is requeued", async () => {
    const scene = await aScene();
    scene.stores.watch(CustomResourceDefinition);
    await scene.take();
    const server = scene.source(CustomResourceDefinition);
    server.put({ name: "widgets.example.dev", namespace: null, ...inSet("a") });
    expect(await scene.take()).toEqual(["shop/a"]);
    server.remove("widgets.example.dev");
    await scene.take();
    expect(scene.learnt).toEqual(["learn widgets.example.dev", "unlearn widgets.example.dev"]);
    await scene.end();
  });

  test("use the operator's information about namespaces", async () => {
    const scene = await aScene();
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    scene.source(Namespace).put({ name: "shop", namespace: null, metadata: { deletionTimestamp } });
    await scene.clock.settle();
    expect(scene.stores.isTerminating("shop")).toBe(true);
    expect(scene.stores.isTerminating("other")).toBe(false);
    await scene.end();
  });

  test("do not requeue deleted resources", async () => {
    const scene = await aScene();
    scene.stores.watch(Deployment, "shop/a");
    scene.stores.watch(Deployment, "shop/b");
    scene.stores.forget("shop/a");
    expect(await scene.take()).toEqual(["shop/b"]);
    await scene.end();
  });

  test("end all their watches on request", async () => {
    const scene = await aScene();
    scene.stores.watch(Deployment);
    await scene.take();
    expect(scene.source(Deployment).openWatches).toBe(1);
    await scene.end();
    expect(scene.source(Deployment).openWatches).toBe(0);
  });
});
