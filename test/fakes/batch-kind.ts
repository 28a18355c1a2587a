import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import {
  type BoundKind,
  bindKind,
  type ChartProps,
  coreKinds,
  defineKind,
  type KindContext,
  type LiveObject,
  type RecordOf,
  type ResourceOf,
} from "../../index.ts";

export const Batch = defineKind({
  group: "example.dev",
  kind: "Batch",
  plural: "batches",
  description: "Batch runs a Job several times, one run after the other.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        image: z.string().describe("Image of the Job's container."),
        runs: z.int32().min(1).describe("Number of runs."),
        ttlSeconds: z
          .int32()
          .min(0)
          .optional()
          .describe("Time from the end of the last run to its deletion."),
      }),
      status: z.object({
        finished: z.int32().describe("Runs that are over."),
        finishedAt: z.iso.datetime({ offset: true }).optional().describe("When the last of them was over."),
        phase: z.string().describe("Running or Finished."),
      }),
    },
  ],
});

type BatchRecord = RecordOf<typeof Batch, "finished" | "finishedAt">;

class BatchChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource, record }: ChartProps<ResourceOf<typeof Batch>, KindContext<BatchRecord>>,
  ) {
    super(scope, id);
    const { image, runs } = resource.spec;
    if (record.finished >= runs) return;
    new ApiObject(this, "job", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: nameOfRun(resource.metadata.name, record.finished) },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "run", image }] } } },
    });
  }
}

const nameOfRun = (batch: string, run: number): string => `${batch}-${run}`;

/** When a Job ended; undefined: it has not. */
function endOf(job: LiveObject | undefined): string | undefined {
  const { conditions = [] } = (job?.["status"] ?? {}) as { readonly conditions?: readonly JobCondition[] };
  const end = conditions.find(
    ({ type, status }) => ["Complete", "Failed"].includes(type) && status === "True",
  );
  return end?.lastTransitionTime;
}

interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

export const batch: BoundKind<Construct> = bindKind({
  definition: Batch,
  chart: BatchChart,
  children: [coreKinds.Job],
  record: {
    fields: ["finished", "finishedAt"],
    fold: ({ finished = 0, finishedAt }, { resource, observed }) => {
      const end = endOf(observed.find(coreKinds.Job, nameOfRun(resource.metadata.name, finished)));
      return end === undefined ? { finished, finishedAt } : { finished: finished + 1, finishedAt: end };
    },
  },
  verdict: ({ resource, observed, record }) => {
    const { runs } = resource.spec;
    const object = observed.find(coreKinds.Job, nameOfRun(resource.metadata.name, record.finished));
    const message = `${record.finished} of ${runs} runs are over`;
    return record.finished < runs
      ? { status: "InProgress", message, object }
      : { status: "Current", message };
  },
  retire: ({ resource, record, clock }) => {
    const { runs, ttlSeconds } = resource.spec;
    if (record.finished < runs || record.finishedAt === undefined || ttlSeconds === undefined)
      return undefined;
    const instant = new Date(Date.parse(record.finishedAt) + ttlSeconds * 1_000);
    return clock.reached(instant) ? `it was over ${ttlSeconds} s ago` : undefined;
  },
  status: ({ spec }, _, { record }) => ({ phase: record.finished < spec.runs ? "Running" : "Finished" }),
});
