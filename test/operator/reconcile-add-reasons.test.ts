import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../crds/object.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../operator/errors.ts";
import { addedBy } from "../fakes/added-fields.ts";
import { anAddingKind, aSoughtPod } from "../fakes/adding-kind.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { aPinningKind, aSoughtRelease } from "../fakes/pinning-kind.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";

const manager = "fairlead/gadgets.example.dev/shop/web";
const labels = { seeks: "shop" };

/** A resource that pins Releases to a commit. */
function aPin(...releases: readonly LiveObject[]): ReconcileBench {
  const resource = { labels, annotations: { pin: "one" } };
  const bench = new ReconcileBench({ kind: aPinningKind(), resource });
  for (const release of releases) bench.deliver(bench.cluster.put(release));
  return bench;
}

/** A resource with a ConfigMap of its own, that adds to pods. */
function anAdder(...pods: readonly LiveObject[]): ReconcileBench {
  const resource = { labels, spec: { objects: [aConfigMap("own")] } };
  const bench = new ReconcileBench({ kind: anAddingKind(), resource });
  for (const pod of pods) bench.deliver(bench.cluster.put(pod));
  return bench;
}

/** The reasons of a reconcile, whether it fails or not. */
async function reasonsOf(bench: ReconcileBench): Promise<object> {
  await bench.reconcile().catch(() => undefined);
  return bench.explain();
}

const refusal = (name: string) => new ObjectRejectedError(`fairlead.dev/Release/shop/${name}`, "it is taken");

describe("the reasons of additions to objects of other owners", () => {
  test("name the missing field, and are empty when all fields are in place", async () => {
    const bench = aPin(aSoughtRelease("a"));
    const extended = "extend Release shop/a: spec.revision is missing or has another value";
    expect(await reasonsOf(bench)).toMatchObject({ did: [extended], waits: [], keeps: [] });
    expect(await reasonsOf(bench)).toMatchObject({ did: [], waits: [], keeps: [] });
  });

  test("report the removal of fields that the resource no longer sets", async () => {
    const before = addedBy(aSoughtRelease("a", { of: "x" }), manager, { spec: { revision: "one" } });
    expect(await reasonsOf(aPin(before))).toMatchObject({
      did: ["reduce Release shop/a: the fields that were set before are no longer desired"],
    });
  });

  test("name what the API server does not remove, also when the request is not repeated", async () => {
    const bench = aPin(addedBy(aSoughtRelease("x", { of: "x" }), manager, { spec: { revision: "one" } }));
    bench.cluster.refuse("add Release/x nothing", refusal("x"));
    const kept = expect.stringMatching(/^keep Release shop\/x: .*it is taken$/);
    expect(await reasonsOf(bench)).toMatchObject({ did: [], keeps: [kept] });
    expect(await reasonsOf(bench)).toMatchObject({
      keeps: ["keep Release shop/x: the API server does not remove the fields that were set"],
    });
  });

  test("contain the cause of each failed addition, and name those that are sent later because a removal failed", async () => {
    const bench = aPin(aSoughtRelease("a"), aSoughtRelease("b"));
    for (const name of ["a", "b"]) bench.cluster.refuse(`add Release/${name} spec.revision`, refusal(name));
    const why = (name: string) => expect.stringMatching(`^hold Release shop/${name}: .*it is taken$`);
    expect(await reasonsOf(bench)).toMatchObject({
      did: [],
      waits: [expect.stringContaining("Release shop/a"), why("a"), why("b")],
    });

    const planted = addedBy(aSoughtRelease("x", { of: "x" }), manager, { spec: { revision: "one" } });
    const late = aPin(aSoughtRelease("a"), planted);
    late.cluster.refuse("add Release/x nothing", new ApiUnavailableError("no answer", { status: 500 }));
    expect(await reasonsOf(late)).toMatchObject({
      waits: [
        "no answer",
        "hold Release shop/x: no answer",
        "hold Release shop/a: it is sent in a later run",
      ],
    });
  });

  test("report that the resource's own objects are applied first", async () => {
    const bench = anAdder(aSoughtPod("a"));
    bench.cluster.refuse("apply ConfigMap/own", new ObjectRejectedError("/ConfigMap/shop/own", "too large"));
    expect(await reasonsOf(bench)).toMatchObject({
      waits: [
        expect.stringContaining("too large"),
        "hold Pod shop/a: the resource's own objects are applied first",
      ],
    });
  });
});
