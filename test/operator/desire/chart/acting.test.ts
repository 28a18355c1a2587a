import { describe, expect, test } from "vitest";
import { aConfigMap, aGadgetKind, Gadget } from "../../../fakes/gadget.ts";
import { ReconcileBench } from "../../../fakes/reconcile-bench.ts";
import { noteSenders } from "../../../fakes/senders.ts";

const outside = { apiVersion: "v1", kind: "Namespace", metadata: { name: "extra" } };

/** A resource with a ConfigMap, and one object that garbage collection cannot reach. */
function aBench(account: string | undefined) {
  const kind = aGadgetKind({ policy: { actAs: ({ metadata }) => metadata.annotations?.["account"] } });
  const annotations = account === undefined ? {} : { account };
  const spec = { objects: [aConfigMap("a"), outside] };
  const bench = new ReconcileBench({ kind, resource: { annotations, spec } });
  return { bench, sent: noteSenders(bench.cluster) };
}

describe("a kind that acts as a ServiceAccount", () => {
  test("changes its objects with the permissions of that account, and the resource with those of the operator", async () => {
    const { bench, sent } = aBench("deployer");
    await bench.reconcile();
    expect(sent).toEqual(["deployer apply Namespace/extra", "deployer apply ConfigMap/a"]);
    expect(bench.takeRequests()).toEqual([
      "metadata Gadget/web",
      "apply Namespace/extra",
      "apply ConfigMap/a",
      "status Gadget/web",
    ]);
  });

  test("deletes objects that garbage collection cannot reach with those permissions, too", async () => {
    const { bench, sent } = aBench("deployer");
    await bench.reconcile();
    const { resource } = bench;
    const metadata = {
      ...resource.metadata,
      resourceVersion: "9000",
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    bench.edit({ ...resource, metadata });
    await bench.reconcile();
    expect(sent).toContain("deployer delete Namespace/extra");
  });

  test("uses the operator's permissions for a resource that names no account", async () => {
    const { bench, sent } = aBench(undefined);
    await bench.reconcile();
    expect(sent).toEqual([]);
    expect(bench.takeRequests()).toContain("apply ConfigMap/a");
  });

  test("sends nothing for a resource whose account cannot be impersonated", async () => {
    const { bench, sent } = aBench("not a name");
    await bench.reconcile();
    expect(sent).toEqual([]);
    expect(bench.takeRequests()).toEqual(["status Gadget/web"]);
    expect(bench.condition("Applied")).toBe("False SpecInvalid");
  });
});

test("a kind without namespace cannot act as a ServiceAccount", () => {
  const definition = { ...Gadget, namespaced: false };
  expect(() => aGadgetKind({ definition, policy: { actAs: () => "deployer" } })).toThrow(
    /needs a namespaced kind/,
  );
});
