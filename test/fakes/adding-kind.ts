import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { BoundKind, ChartProps } from "../../crds/binding.ts";
import { ConfigMap, Pod } from "../../crds/core-kinds.ts";
import type { LiveObject } from "../../crds/object.ts";
import { aGadgetKind, GadgetChart } from "./gadget.ts";
import { aLiveObject } from "./objects.ts";

class AddingChart extends GadgetChart {
  constructor(scope: Construct, id: string, props: ConstructorParameters<typeof GadgetChart>[2]) {
    super(scope, id, props);
    const { observed }: Pick<ChartProps<unknown>, "observed"> = props;
    for (const { metadata } of observed.list(Pod)) {
      new ApiObject(this, metadata.name, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: metadata.name, labels: { "as-all": "of-this-chart" } },
        spec: { ephemeralContainers: [{ name: "shell", image: "busybox" }] },
      });
    }
  }
}

/** A kind that adds a container to pods. The label `of` of a pod must equal the label `seeks` of the resource. */
export function anAddingKind(): BoundKind<Construct> {
  return aGadgetKind({
    chart: AddingChart,
    children: [ConfigMap],
    related: [
      {
        kind: Pod,
        ownerKey: ({ metadata }) => metadata.labels?.["of"],
        soughtKey: ({ metadata }) => metadata.labels?.["seeks"],
        subresource: "ephemeralcontainers",
      },
    ],
  });
}

/** A pod with the label `of`, created by another client. */
export function aSoughtPod(
  name: string,
  { of = "shop", metadata = {}, spec = {} }: { of?: string; metadata?: object; spec?: object } = {},
): LiveObject {
  return aLiveObject({ kind: Pod, name, labels: { of }, metadata, ours: false, fields: { spec } });
}
