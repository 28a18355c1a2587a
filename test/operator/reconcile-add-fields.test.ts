import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { FINALIZER } from "../../operator/engine/finalize.ts";
import { ApiUnavailableError, ObjectRejectedError, ReplacedError } from "../../operator/errors.ts";
import { addedBy } from "../fakes/added-fields.ts";
import { aPinningKind, aSoughtRelease } from "../fakes/pinning-kind.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

const manager = "fairlead/gadgets.example.dev/shop/web";
const idOfRelease = (name: string) => `fairlead.dev/Release/shop/${name}`;

/** A resource that pins Releases to a commit, and existing Releases. */
function aBench(pin: string | undefined, ...releases: readonly LiveObject[]): ReconcileBench {
  const bench = new ReconcileBench({ kind: aPinningKind(), resource: { labels: { seeks: "shop" } } });
  for (const release of releases) bench.deliver(bench.cluster.put(release));
  ask(bench, pin);
  return bench;
}

/** Changes the pins in the spec of the resource, as a user does. */
function ask(bench: ReconcileBench, pin: string | undefined, next?: string): void {
  const { resource } = bench;
  const annotations = { ...(pin !== undefined && { pin }), ...(next !== undefined && { next }) };
  bench.edit({ ...resource, metadata: { ...resource.metadata, annotations } });
}

/** A Release as the server has it. */
function live(bench: ReconcileBench, name: string): LiveObject {
  return bench.cluster.objects.get(idOfRelease(name)) ?? expect.fail(`no Release ${name}`);
}

/** Delivers a Release to the stores that another client has changed. */
function change(bench: ReconcileBench, name: string, changed: (before: LiveObject) => LiveObject): void {
  bench.deliver(bench.cluster.put(changed(live(bench, name))));
}

/** Requests except those for the status. */
const writes = (bench: ReconcileBench) =>
  bench.takeRequests().filter((request) => !request.startsWith("status"));

const notes = (bench: ReconcileBench) => bench.events.map(({ type, note }) => `${type}: ${note}`);

describe("a reconcile that sets fields of objects of others", () => {
  test("first adds a finalizer to the resource, and sets only these fields", async () => {
    const release = aSoughtRelease("a");
    const bench = aBench("one", release, aSoughtRelease("b", { of: "x" }));
    await bench.reconcile();
    expect(writes(bench)).toEqual(["metadata Gadget/web", "add Release/a spec.revision"]);
    expect(bench.resource.metadata.finalizers).toEqual([FINALIZER]);
    const { spec, metadata, ours } = live(bench, "a");
    expect(spec).toEqual({ ...(release["spec"] as object), revision: "one" });
    expect([{ ...metadata, resourceVersion: "1" }, ours]).toEqual([release.metadata, false]);
    expect(notes(bench)).toEqual([`Normal: Extended Release shop/a: set spec.revision`]);
    expect(bench.condition("Applied")).toBe("True Applied");
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
  });

  test("adds no finalizer and sends nothing if no field is set", async () => {
    const bench = aBench(undefined, aSoughtRelease("a"));
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
  });

  test("removes a field that the chart no longer names, and then all of them", async () => {
    const bench = aBench(undefined, aSoughtRelease("a"));
    ask(bench, "one", "two");
    await bench.reconcile();
    expect(live(bench, "a")["spec"]).toMatchObject({ revision: "one", next: "two" });
    bench.takeRequests();
    const extended = notes(bench);
    ask(bench, "one");
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a spec.revision"]);
    // It is an edit.
    expect(notes(bench)).toEqual(extended);
    expect(live(bench, "a")["spec"]).not.toHaveProperty("next");
    ask(bench, undefined);
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a nothing"]);
    expect(live(bench, "a")["spec"]).toEqual(aSoughtRelease("a")["spec"]);
    expect(notes(bench).at(-1)).toBe(
      "Normal: Reduced Release shop/a: removed the fields that were set before",
    );
    expect(bench.condition("Ready")).toBe("True Reconciled");
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
  });

  test("removes them from an object that the resource no longer selects, also if an earlier operator set them", async () => {
    // As an earlier operator process left it.
    const bench = aBench(
      "one",
      addedBy(aSoughtRelease("a", { of: "x" }), manager, { spec: { revision: "one" } }),
    );
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a nothing"]);
    expect(live(bench, "a")).not.toHaveProperty("addedFields");
  });

  test("does not fail if it may not remove them, reports it once, and tries again when the object changes", async () => {
    // Any user who may write the object may write this.
    const planted = addedBy(aSoughtRelease("x", { of: "x" }), manager, { spec: { revision: "one" } });
    const bench = aBench("one", aSoughtRelease("a"), planted);
    for (let run = 0; run < 2; run++) {
      bench.cluster.refuse("add Release/x nothing", new ObjectRejectedError(idOfRelease("x"), "is required"));
      await bench.reconcile();
    }
    expect(writes(bench)).toEqual([
      "metadata Gadget/web",
      "add Release/x nothing",
      "add Release/a spec.revision",
    ]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(notes(bench).filter((note) => note.startsWith("Warning"))).toEqual([
      'Warning: The fields that were set in Release shop/x are not removed: Cannot apply "fairlead.dev/Release/shop/x": is required',
    ]);
    change(bench, "x", (before) => ({ ...before, spec: { ...(before["spec"] as object), interval: "2m" } }));
    await expect(bench.reconcile()).resolves.toEqual({});
    expect(writes(bench)).toEqual(["add Release/x nothing"]);
  });

  test("does not change fields that another resource of the kind has set", async () => {
    const others = addedBy(aSoughtRelease("a", { of: "x" }), "fairlead/gadgets.example.dev/shop/other", {
      spec: { revision: "one" },
    });
    const bench = aBench("one", others);
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
  });

  test("sets a field again that another client removed", async () => {
    const bench = aBench("one", aSoughtRelease("a"));
    await bench.reconcile();
    bench.takeRequests();
    change(bench, "a", ({ addedFields: _, ...rest }) => ({ ...rest, spec: aSoughtRelease("a")["spec"] }));
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a spec.revision"]);
  });

  test("is not enqueued by its own write, and writes nothing when the object's own controller writes", async () => {
    const bench = aBench("one", aSoughtRelease("a"));
    await bench.reconcile();
    bench.takeRequests();
    for (const revision of ["one", "two", "three"]) {
      change(bench, "a", (before) => ({ ...before, status: { revision } }));
      await bench.reconcile();
    }
    expect(writes(bench)).toEqual([]);
  });

  test("names the manager of a field that it may not set, and tries again when the object changes", async () => {
    const bench = aBench("one", aSoughtRelease("a"));
    const conflict = 'spec.revision: conflict with "kubectl"';
    bench.cluster.refuse("add Release/a spec.revision", new ObjectRejectedError(idOfRelease("a"), conflict));
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("False ApplyRejected");
    expect(notes(bench)).toEqual([`Warning: The API server refuses Release shop/a: ${conflict}`]);
    bench.takeRequests();
    change(bench, "a", (before) => ({ ...before, status: { revision: "x" } }));
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
    change(bench, "a", (before) => ({ ...before, spec: { ...(before["spec"] as object), interval: "2m" } }));
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a spec.revision"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("sends a value that the server changes once, and again when another value is desired", async () => {
    const bench = aBench("one", aSoughtRelease("a"));
    bench.cluster.rewrite = (object) =>
      object.kind === "Release"
        ? { ...object, spec: { ...(object["spec"] as object), revision: "always" } }
        : object;
    await bench.reconcile();
    bench.takeRequests();
    await bench.reconcile();
    expect(writes(bench)).toEqual([]);
    ask(bench, "two");
    await bench.reconcile();
    expect(writes(bench)).toEqual(["add Release/a spec.revision"]);
  });
});

describe("a resource that has set fields of objects of others, and is deleted", () => {
  async function leaving(...releases: readonly LiveObject[]): Promise<ReconcileBench> {
    const bench = aBench("one", ...releases);
    await bench.reconcile();
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const { resource } = bench;
    bench.edit({ ...resource, metadata: { ...resource.metadata, deletionTimestamp } });
    bench.takeRequests();
    bench.events.splice(0);
    return bench;
  }

  test("removes them before its finalizer", async () => {
    const bench = await leaving(aSoughtRelease("a"), aSoughtRelease("b"));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "add Release/a nothing",
      "add Release/b nothing",
      "metadata Gadget/web",
    ]);
    for (const name of ["a", "b"]) expect(live(bench, name)["spec"]).not.toHaveProperty("revision");
    expect(bench.resource.metadata.finalizers).toEqual([]);
  });

  test("keeps its finalizer while the API server does not respond", async () => {
    const bench = await leaving(aSoughtRelease("a"));
    bench.cluster.refuse("add Release/a nothing", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.resource.metadata.finalizers).toEqual([FINALIZER]);
    await bench.reconcile();
    expect(bench.resource.metadata.finalizers).toEqual([]);
  });

  test.for([
    {
      when: "is deleted at that moment",
      error: new ReplacedError(idOfRelease("a")),
      told: [] as string[],
    },
    {
      when: "is rejected without them",
      error: new ObjectRejectedError(idOfRelease("a"), "spec.revision: is required"),
      told: [
        'Warning: The fields that were set in Release shop/a are not removed: Cannot apply "fairlead.dev/Release/shop/a": spec.revision: is required',
      ],
    },
  ])("is not held by an object that $when", async ({ error, told }) => {
    const bench = await leaving(aSoughtRelease("a"));
    bench.cluster.refuse("add Release/a nothing", error);
    await bench.reconcile();
    expect(bench.resource.metadata.finalizers).toEqual([]);
    expect(notes(bench)).toEqual(told);
  });

  test("sends nothing for an object that is being deleted too", async () => {
    const bench = await leaving(aSoughtRelease("a"));
    change(bench, "a", (before) => ({
      ...before,
      metadata: { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Gadget/web"]);
  });
});
