import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import { bindKind, type ChartProps, coreKinds, defineKind, type ResourceOf } from "../../index.ts";

const Nap = defineKind({
  group: "example.dev",
  kind: "Nap",
  plural: "naps",
  description: "Nap scales the Deployments of an app to zero while it exists.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        app: z.string().min(1).describe("Value of the label `app` of the Deployments."),
        pause: z.boolean().default(false).describe("Also pause their rollouts."),
      }),
      status: z.object({ asleep: z.int().describe("Deployments that have no replicas.") }),
    },
  ],
});

class NapChart extends Chart {
  constructor(scope: Construct, id: string, props: ChartProps<ResourceOf<typeof Nap>>) {
    super(scope, id);
    const { resource, observed } = props;
    for (const { metadata } of observed.list(coreKinds.Deployment)) {
      const { name, namespace } = metadata;
      new ApiObject(this, name, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, ...(namespace !== undefined && { namespace }) },
        spec: { replicas: 0, ...(resource.spec.pause && { paused: true }) },
      });
    }
  }
}

export const nap = bindKind({
  definition: Nap,
  chart: NapChart,
  children: [],
  related: [
    {
      kind: coreKinds.Deployment,
      ownerKey: ({ metadata }) => `${metadata.namespace}/${metadata.labels?.["app"]}`,
      soughtKey: ({ metadata, spec }) => `${metadata.namespace}/${spec?.app}`,
      fields: ["spec.replicas", "spec.paused"],
    },
  ],
  status: (_, observed) => ({
    asleep: observed
      .list(coreKinds.Deployment)
      .filter(({ spec }) => (spec as { readonly replicas?: number }).replicas === 0).length,
  }),
});
