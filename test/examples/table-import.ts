import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import {
  bindKind,
  type ChartProps,
  coreKinds,
  defineKind,
  type KindMetric,
  type ResourceOf,
} from "../../index.ts";

const TableImport = defineKind({
  group: "example.dev",
  kind: "TableImport",
  plural: "tableimports",
  description: "TableImport copies a table once.",
  versions: [
    {
      name: "v1",
      spec: z.object({ table: z.enum(["orders", "users"]).describe("The table.") }),
      status: z.object({
        startedAt: z.string().optional().describe("When it began, RFC 3339."),
        finishedAt: z.string().optional().describe("When it had finished, RFC 3339."),
      }),
    },
  ],
});

type Import = ResourceOf<typeof TableImport>;

class TableImportChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<Import>) {
    super(scope, id);
    const { table } = resource.spec;
    const containers = [{ name: "import", image: "registry.example.dev/import:1", args: [table] }];
    new ApiObject(this, "job", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: resource.metadata.name },
      spec: { template: { spec: { restartPolicy: "Never", containers } } },
    });
  }
}

const labels = ["namespace", "table"] as const;
const labelsOf = ({ metadata, spec }: Import) => ({
  namespace: metadata.namespace ?? "",
  table: spec?.table ?? "",
});
const isFinished = ({ status }: Import): boolean => status?.finishedAt !== undefined;

/** How many imports run, how many have finished, and how long they took. */
const metrics: readonly KindMetric<Import>[] = [
  {
    type: "gauge",
    name: "imports_running",
    help: "1 while an import runs, else 0",
    labels: [...labels, "name"],
    samples: (resource) => [
      {
        labels: { ...labelsOf(resource), name: resource.metadata.name },
        value: isFinished(resource) ? 0 : 1,
      },
    ],
  },
  {
    type: "counter",
    name: "imports_finished_total",
    help: "Imports that have finished",
    labels,
    samples: (resource) => (isFinished(resource) ? [{ labels: labelsOf(resource), value: 1 }] : []),
  },
  {
    type: "histogram",
    name: "import_duration_seconds",
    help: "Time of an import",
    labels,
    buckets: [1, 10, 60, 600],
    samples: (resource) => {
      const { startedAt, finishedAt } = resource.status ?? {};
      if (startedAt === undefined || finishedAt === undefined) return [];
      const value = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
      return [{ labels: labelsOf(resource), value }];
    },
  },
];

export const tableImport = bindKind({
  definition: TableImport,
  chart: TableImportChart,
  children: [coreKinds.Job],
  status: ({ metadata }, observed) => {
    const job = observed.find(coreKinds.Job, metadata.name);
    const { startTime, completionTime } = (job?.["status"] ?? {}) as Record<string, string | undefined>;
    return {
      ...(startTime !== undefined && { startedAt: startTime }),
      ...(completionTime !== undefined && { finishedAt: completionTime }),
    };
  },
  metrics,
});
