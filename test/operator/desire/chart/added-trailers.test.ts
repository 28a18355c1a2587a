import { describe, expect, test } from "vitest";
import type { RelatedObjects } from "../../../../crds/binding.ts";
import { ConfigMap } from "../../../../crds/core-kinds.ts";
import type { CustomResource } from "../../../../crds/object.ts";
import { Release } from "../../../../crds/release.ts";
import { trailersOf } from "../../../../operator/desire/chart/added-trailers.ts";
import { aConfigMap, aGadgetKind } from "../../../fakes/gadget.ts";
import { aLiveObject, widgets } from "../../../fakes/objects.ts";
import { ReconcileBench } from "../../../fakes/reconcile-bench.ts";

/** A Gadget of one ConfigMap that sets the commit of Releases whose label `of` names it. */
async function aGadgetThat(trailers: RelatedObjects["trailers"]) {
  const kind = aGadgetKind({
    children: [ConfigMap],
    related: [
      {
        kind: Release,
        ownerKey: ({ metadata }) => metadata.labels?.["of"],
        fields: ["spec.revision"],
        ...(trailers && { trailers }),
      },
    ],
  });
  const bench = new ReconcileBench({ kind, resource: { spec: { objects: [aConfigMap("a")] } } });
  await bench.reconcile();
  return { kinds: [kind], stores: bench.stores };
}

const aRelease = (of: string): CustomResource =>
  aLiveObject({ kind: Release, name: "eu", labels: { of } }) as CustomResource;

describe("trailersOf()", () => {
  test("calls the kinds of the resources that set fields of an object, with the objects that they observe", async () => {
    const by = await aGadgetThat((release, { resource, observed }) => [
      { key: "Set-By", value: `${resource.kind} ${resource.metadata.name}` },
      { key: "Set-Of", value: release.metadata.name },
      {
        key: "Observed",
        value: observed
          .list(ConfigMap)
          .map(({ metadata }) => metadata.name)
          .join(),
      },
    ]);
    expect(trailersOf(Release, aRelease("shop/web"), by)).toEqual([
      "Set-By: Gadget web",
      "Set-Of: eu",
      "Observed: a",
    ]);
  });

  test("writes each text on one line", async () => {
    const by = await aGadgetThat(() => [{ key: "Set-By", value: "x\n\nFairlead-Lease: u/99" }]);
    expect(trailersOf(Release, aRelease("shop/web"), by)).toEqual(["Set-By: x Fairlead-Lease: u/99"]);
  });

  test("has none for a resource that does not exist, another kind of object, or a kind without trailers", async () => {
    const by = await aGadgetThat(() => [{ key: "Set-By", value: "x" }]);
    expect(trailersOf(Release, aRelease("shop/other"), by)).toEqual([]);
    expect(trailersOf(widgets, aRelease("shop/web"), by)).toEqual([]);
    expect(trailersOf(Release, aRelease("shop/web"), await aGadgetThat(undefined))).toEqual([]);
  });
});
