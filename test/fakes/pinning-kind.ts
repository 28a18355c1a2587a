import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { BoundKind } from "../../crds/binding.ts";
import { ConfigMap } from "../../crds/core-kinds.ts";
import type { LiveObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { aGadgetKind, GadgetChart } from "./gadget.ts";
import { aLiveObject } from "./objects.ts";

/** Pins every matching Release to the commit in the annotation `pin` of the resource. */
class PinningChart extends GadgetChart {
  constructor(scope: Construct, id: string, props: ConstructorParameters<typeof GadgetChart>[2]) {
    super(scope, id, props);
    const { resource, observed } = props;
    const { pin, next } = resource.metadata.annotations ?? {};
    for (const { metadata } of observed.list(Release)) {
      new ApiObject(this, metadata.name, {
        apiVersion: "fairlead.dev/v1alpha1",
        kind: "Release",
        metadata: { name: metadata.name, labels: { "as-all": "of-this-chart" } },
        spec: { ...(pin && { revision: pin }), ...(next && { next }) },
      });
    }
  }
}

/** A kind that sets fields in Releases. The label `of` of a Release must equal the label `seeks` of the resource. */
export function aPinningKind(): BoundKind<Construct> {
  return aGadgetKind({
    chart: PinningChart,
    children: [ConfigMap],
    related: [
      {
        kind: Release,
        ownerKey: ({ metadata }) => metadata.labels?.["of"],
        soughtKey: ({ metadata }) => metadata.labels?.["seeks"],
        fields: ["spec.revision", "spec.next"],
      },
    ],
  });
}

/** A Release with the label `of`, created by another client. */
export function aSoughtRelease(name: string, { of = "shop" } = {}): LiveObject {
  const fields = { spec: { source: { url: "https://git.example.dev/shop" } } };
  return aLiveObject({ kind: Release, name, labels: { of }, ours: false, fields });
}
