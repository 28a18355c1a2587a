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

/** A kind that creates a ConfigMap with the permissions of the ServiceAccount in a resource. */
export const Delegate = defineKind({
  group: "example.dev",
  kind: "Delegate",
  plural: "delegates",
  description: "Delegate creates a ConfigMap as a ServiceAccount.",
  versions: [{ name: "v1", spec: z.object({ serviceAccountName: z.string(), text: z.string() }) }],
});

class DelegateChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Delegate>>) {
    super(scope, id);
    const { name } = resource.metadata;
    const data = { text: resource.spec.text };
    new ApiObject(this, "text", { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  }
}

export const delegate: BoundKind<Construct> = bindKind({
  definition: Delegate,
  chart: DelegateChart,
  children: [coreKinds.ConfigMap],
  policy: { actAs: ({ spec }) => spec.serviceAccountName },
});
