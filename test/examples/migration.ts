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

const Migration = defineKind({
  group: "example.dev",
  kind: "Migration",
  plural: "migrations",
  description: "Migration changes a database, and then names its schema in a ConfigMap.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        image: z.string().describe("Image of the Job's container."),
        schema: z.string().describe("Name of the schema that it leads to."),
        serviceAccountName: z.string().describe("ServiceAccount to impersonate."),
        timeout: z.string().default("10m").describe("How long it may take."),
      }),
    },
  ],
});

class MigrationChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Migration>>) {
    super(scope, id);
    const { image, schema } = resource.spec;
    const { name } = resource.metadata;
    const job = new ApiObject(this, "job", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "migrate", image }] } } },
    });
    const settings = new ApiObject(this, "settings", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { schema },
    });
    settings.addDependency(job);
  }
}

export const migration: BoundKind<Construct> = bindKind({
  definition: Migration,
  chart: MigrationChart,
  children: [coreKinds.Job, coreKinds.ConfigMap],
  policy: {
    actAs: ({ spec }) => spec.serviceAccountName,
    timeout: ({ spec }) => spec.timeout,
  },
});
