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
} from "../../../index.ts";

/** A number of small objects, like those that the tuned Go operator creates for a PodSet with `--children=configmaps`. */
export const BenchSet = defineKind({
  group: "bench.fairlead.dev",
  kind: "BenchSet",
  plural: "benchsets",
  description: "BenchSet keeps a number of ConfigMaps, to measure an operator with.",
  versions: [
    {
      name: "v1alpha1",
      spec: z.object({ size: z.int32().min(0).describe("Number of ConfigMaps.") }).describe("What to keep."),
      status: z.object({ nodes: z.array(z.string()).describe("Names of the ConfigMaps, sorted.") }),
    },
  ],
});

/** Creates `<name>-0` and so on, each with its index. Labels and content are those of the Go operator. */
class BenchSetChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof BenchSet>>) {
    super(scope, id);
    const { name } = resource.metadata;
    for (let index = 0; index < resource.spec.size; index += 1) {
      new ApiObject(this, String(index), {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${name}-${index}`, labels: { app: "podSet", podSet_cr: name } },
        data: { index: String(index) },
      });
    }
  }
}

export const benchSet: BoundKind<Construct> = bindKind({
  definition: BenchSet,
  chart: BenchSetChart,
  children: [coreKinds.ConfigMap],
  status: (_, observed) => ({
    nodes: observed
      .list(coreKinds.ConfigMap)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name)
      .toSorted(),
  }),
});
