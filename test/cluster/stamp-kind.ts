import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import {
  type BoundKind,
  bindKind,
  type ChartProps,
  coreKinds,
  defineKind,
  type ResourceOf,
} from "../../index.ts";

/** A kind of the stories' own: a text, and a number of ConfigMaps that repeat it. Nothing else on the cluster cares. */
export const Stamp = defineKind({
  group: "stories.fairlead.dev",
  kind: "Stamp",
  plural: "stamps",
  description: "Stamp keeps a number of ConfigMaps that have its text.",
  versions: [
    {
      name: "v1",
      spec: z
        .object({
          text: z.string().describe("What the ConfigMaps say."),
          copies: z.int32().min(0).default(3).describe("Number of ConfigMaps."),
        })
        .describe("What to keep."),
      status: z.object({ copies: z.int32().describe("ConfigMaps that are there.") }),
    },
  ],
});

class StampChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Stamp>>) {
    super(scope, id);
    for (let copy = 0; copy < resource.spec.copies; copy++) {
      new ApiObject(this, `copy-${copy}`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${resource.metadata.name}-${copy}` },
        data: { text: resource.spec.text },
      });
    }
  }
}

export const stamp: BoundKind<Construct> = bindKind({
  definition: Stamp,
  chart: StampChart,
  children: [coreKinds.ConfigMap],
  status: (_, observed) => ({ copies: observed.list(coreKinds.ConfigMap).length }),
});
