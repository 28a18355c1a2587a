import { describe, expect, test } from "vitest";
import type { Condition } from "../../crds/conditions.ts";
import { aConfigMap, aGadgetKind } from "../fakes/gadget.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { aResource } from "../fakes/resources.ts";

const names = ["a", "b", "c", "d", "e", "f"];
const objectsOf = (wanted: readonly string[]) => wanted.map((name) => aConfigMap(name));

/** A resource with six objects, whose chart then creates other objects without an edit. */
async function changedChart(wanted: readonly object[]) {
  const bench = new ReconcileBench({ resource: { spec: { objects: objectsOf(names) } } });
  await bench.reconcile();
  bench.takeRequests();
  const edit = (more: object = {}): void => {
    const { metadata, status } = bench.resource;
    const next = aResource(bench.kind, { spec: { objects: wanted } });
    bench.edit({ ...next, metadata: { ...metadata, ...more }, ...(status !== undefined && { status }) });
  };
  edit();
  return { bench, edit };
}

function conditionsOf({ resource }: ReconcileBench): readonly Condition[] {
  return (resource.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

function applied(bench: ReconcileBench): string | undefined {
  const found = conditionsOf(bench).find(({ type }) => type === "Applied");
  return found && `${found.status} ${found.reason}`;
}

const deletions = (bench: ReconcileBench) =>
  bench.takeRequests().filter((request) => request.startsWith("delete"));

describe("a chart that drops objects of an unedited resource", () => {
  test.for([
    { drops: "all of them", wanted: [] },
    { drops: "more than half", wanted: objectsOf(names.slice(0, 2)) },
  ])("deletes nothing until it is approved if it drops $drops", async ({ wanted }) => {
    const { bench, edit } = await changedChart(wanted);
    await bench.reconcile();
    expect(applied(bench)).toBe("False PruneHeld");
    await bench.reconcile();
    expect(deletions(bench)).toEqual([]);
    const { message = "" } = conditionsOf(bench).find(({ type }) => type === "Applied") ?? {};
    const [, command, approval] =
      /(kubectl annotate gadget web -n shop --overwrite) fairlead\.dev\/approve-prune=(\w+)$/.exec(message) ??
      [];
    expect(command).toBeDefined();
    edit({ annotations: { "fairlead.dev/approve-prune": approval } });
    await bench.reconcile();
    expect(deletions(bench)).toHaveLength(names.length - wanted.length);
    expect(applied(bench)).toMatch(/^True/);
  });

  test("deletes a few without an approval", async () => {
    const { bench } = await changedChart(objectsOf(names.slice(0, 4)));
    await bench.reconcile();
    expect(deletions(bench)).toEqual(["delete ConfigMap/e", "delete ConfigMap/f"]);
  });

  test("requires an approval for one claim or namespace", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    const kind = aGadgetKind();
    const objects = [...objectsOf(["a"]), namespace];
    const bench = new ReconcileBench({ kind, resource: { spec: { objects } } });
    await bench.reconcile();
    await bench.reconcile();
    bench.takeRequests();
    const { metadata, status } = bench.resource;
    const next = aResource(kind, { spec: { objects: objectsOf(["a"]) } });
    bench.edit({ ...next, metadata, ...(status !== undefined && { status }) });
    await bench.reconcile();
    expect(applied(bench)).toBe("False PruneHeld");
    expect(deletions(bench)).toEqual([]);
  });

  test("deletes all of them at once when the resource was edited", async () => {
    const { bench, edit } = await changedChart([]);
    edit({ generation: 2 });
    await bench.reconcile();
    expect(deletions(bench)).toHaveLength(names.length);
  });
});
