import { describe, expect, test } from "vitest";
import { FINALIZER } from "../../operator/engine/finalize.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { changeMetadata, messageOf, type Scene, settle, sorts, taken } from "../fakes/sorts.ts";

const names = ["a", "b", "c", "d", "e", "f"];
const maps = (...wanted: readonly string[]) => wanted.map((name) => aConfigMap(name));
const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { replicas: 0 },
};
const deletionTimestamp = "2026-01-01T00:00:00Z";

const liveOf = ({ bench }: Scene, kind: string, name: string) => {
  const live = bench.live(kind, name);
  if (live === undefined) throw new Error(`there is no ${kind} ${name}`);
  return { ...live, metadata: { ...live.metadata, resourceVersion: "9000" } };
};

/** A terminating object is deleted, and its event has arrived. */
const vanish = (scene: Scene, kind: string, name: string) => scene.bench.vanish(liveOf(scene, kind, name));

describe.each(sorts)("pruning for $name", ({ begin }) => {
  test.for([
    { drops: "all of them", left: [] },
    { drops: "more than half", left: maps("a", "b") },
  ])("is held until it is approved if it drops $drops", async ({ left }) => {
    const scene = begin(maps(...names));
    await settle(scene);
    scene.want(...left);
    for (let runs = 0; runs < 2; runs++) {
      await scene.bench.reconcile();
      expect(scene.bench.condition("Applied")).toBe("False PruneHeld");
    }
    expect(taken(scene, "delete")).toEqual([]);
    const command = `kubectl annotate ${scene.kind.toLowerCase()} web -n shop --overwrite`;
    const [said, approval = ""] =
      /kubectl .*fairlead\.dev\/approve-prune=(\w+)$/.exec(messageOf(scene, "Applied") ?? "") ?? [];
    expect(said).toBe(`${command} fairlead.dev/approve-prune=${approval}`);
    changeMetadata(scene, { annotations: { "fairlead.dev/approve-prune": approval } });
    await scene.bench.reconcile();
    expect(taken(scene, "delete")).toHaveLength(names.length - left.length);
    expect(scene.bench.condition("Applied")).toBe("True Applied");
  });

  test.for([
    { after: "a failed request", status: 403, says: "False ApplyFailed" },
    { after: "an unavailable API server", status: 500, says: undefined },
  ])("stays held after $after", async ({ status, says }) => {
    const scene = begin(maps(...names));
    await settle(scene);
    scene.want(...maps("a"));
    await scene.bench.reconcile();
    scene.bench.vanish(liveOf(scene, "ConfigMap", "a"));
    scene.bench.cluster.refuse("apply ConfigMap/a", new ApiUnavailableError("no", { status }));
    await scene.bench.reconcile().catch(() => undefined);
    if (says !== undefined) expect(scene.bench.condition("Applied")).toBe(says);
    for (let runs = 0; runs < 2; runs++) {
      await scene.bench.reconcile();
      expect(scene.bench.condition("Applied")).toBe("False PruneHeld");
    }
    expect(taken(scene, "delete")).toEqual([]);
  });

  test("is held if the first apply of the smaller set fails", async () => {
    const scene = begin(maps(...names));
    await settle(scene);
    scene.want(aConfigMap("a", { data: { x: "new" } }));
    scene.bench.cluster.refuse("apply ConfigMap/a", new ApiUnavailableError("no", { status: 403 }));
    await scene.bench.reconcile().catch(() => undefined);
    await scene.bench.reconcile();
    expect(scene.bench.condition("Applied")).toBe("False PruneHeld");
    expect(taken(scene, "delete")).toEqual([]);
  });

  test("is held for one object that contains others", async () => {
    const scene = begin([...maps("a"), team]);
    await settle(scene);
    scene.want(...maps("a"));
    await scene.bench.reconcile();
    expect(scene.bench.condition("Applied")).toBe("False PruneHeld");
    expect(messageOf(scene, "Applied")).toContain("the content of Namespace team would be lost");
    expect(taken(scene, "delete")).toEqual([]);
  });

  test("deletes a few without an approval, and reports them once", async () => {
    const scene = begin(maps(...names));
    await settle(scene);
    scene.want(...maps("a", "b", "c", "d"));
    await scene.bench.reconcile();
    expect(taken(scene, "delete")).toEqual(["delete ConfigMap/e", "delete ConfigMap/f"]);
    expect(scene.bench.events.filter(({ reason }) => reason === "Pruned")).toHaveLength(1);
    await settle(scene);
  });

  test("reports each deleted object once, also if the run fails and nothing else is reported", async () => {
    const scene = begin(maps(...names));
    await settle(scene);
    scene.want(...maps("a", "b", "c", "d"));
    scene.bench.cluster.refuse("delete ConfigMap/f", new ApiUnavailableError("no answer", { status: 503 }));
    await expect(scene.bench.reconcile()).rejects.toThrow("no answer");
    await settle(scene);
    const notes = scene.bench.events.flatMap(({ reason, note }) => (reason === "Pruned" ? note : []));
    expect(notes).toEqual([
      expect.stringMatching(/^Pruned ConfigMap shop\/e: /),
      expect.stringMatching(/^Pruned ConfigMap shop\/f: /),
    ]);
    expect(scene.bench.log.messages("info").filter((said) => said === "Pruned objects")).toHaveLength(2);
  });

  test("deletes objects in reverse apply order, and waits until each no longer exists", async () => {
    const scene = begin([...maps("a", "b"), deployment]);
    await settle(scene);
    scene.bench.cluster.lingers = ({ kind }) => kind === "Deployment";
    scene.want(...maps("b"));
    await scene.bench.reconcile();
    await scene.bench.reconcile();
    expect(taken(scene, "delete")).toEqual(["delete Deployment/web"]);
    vanish(scene, "Deployment", "web");
    await scene.bench.reconcile();
    expect(taken(scene, "delete")).toEqual(["delete ConfigMap/a"]);
  });

  test("does not delete an object that its annotation keeps", async () => {
    const keep = { metadata: { name: "b", annotations: { "fairlead.dev/prune": "disabled" } } };
    const scene = begin([...maps("a"), { ...aConfigMap("b"), ...keep }]);
    await settle(scene);
    scene.want(...maps("a"));
    await scene.bench.reconcile();
    expect(taken(scene, "delete")).toEqual([]);
    expect(scene.bench.condition("Applied")).toBe("True Applied");
  });
});

describe.each(sorts)("the deletion of $name", ({ begin }) => {
  test("is held by a finalizer while there are objects that garbage collection cannot reach", async () => {
    const scene = begin([team]);
    await settle(scene);
    expect(scene.bench.resourceAt("shop/web").metadata.finalizers).toEqual([FINALIZER]);
    scene.bench.cluster.lingers = () => true;
    changeMetadata(scene, { deletionTimestamp });
    await scene.bench.reconcile();
    await scene.bench.reconcile();
    expect(taken(scene, "delete", "metadata", "apply")).toEqual(["delete Namespace/team"]);
    expect(scene.bench.resourceAt("shop/web").metadata.finalizers).toEqual([FINALIZER]);
    vanish(scene, "Namespace", "team");
    await scene.bench.reconcile();
    expect(scene.bench.takeRequests()).toEqual([`metadata ${scene.kind}/web`]);
    expect(scene.bench.resourceAt("shop/web").metadata.finalizers).toEqual([]);
  });

  test("needs no approval: all of its objects are deleted, in reverse apply order", async () => {
    const scene = begin([...maps(...names), team, deployment]);
    await settle(scene);
    changeMetadata(scene, { deletionTimestamp });
    await scene.bench.reconcile();
    expect(scene.bench.takeRequests()).toEqual([
      "delete Deployment/web",
      ...names.map((name) => `delete ConfigMap/${name}`),
      "delete Namespace/team",
      `metadata ${scene.kind}/web`,
    ]);
  });
});
