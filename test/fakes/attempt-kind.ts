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
  type RecordOf,
  type ResourceOf,
} from "../../index.ts";

export const Attempt = defineKind({
  group: "example.dev",
  kind: "Attempt",
  plural: "attempts",
  description: "Attempt runs one pod once, and records its outcome.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        image: z.string().describe("Image of the pod's container."),
        isStopped: z.boolean().default(false).describe("Deletes the pod."),
      }),
      status: z.object({ outcome: z.string().optional().describe("Succeeded, Failed or Deleted.") }),
    },
  ],
});

type AttemptRecord = RecordOf<typeof Attempt, "outcome">;

class AttemptChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource, record }: ChartProps<ResourceOf<typeof Attempt>, KindContext<AttemptRecord>>,
  ) {
    super(scope, id);
    const { image, isStopped } = resource.spec;
    if (record.outcome !== undefined || isStopped) return;
    const { name, labels } = resource.metadata;
    new ApiObject(this, "pod", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { ...labels } },
      spec: { restartPolicy: "Never", containers: [{ name: "run", image }] },
    });
  }
}

/** A kind with a record whose pod is a run: its outcome must be recorded, even if a user deletes it. */
export const attempt: BoundKind<Construct> = bindKind({
  definition: Attempt,
  chart: AttemptChart,
  children: [
    // Tests of fences create one.
    coreKinds.ConfigMap,
    {
      kind: coreKinds.Pod,
      lifetime: "run",
      publish: false,
      keep: ({ spec }, left) => (spec?.isStopped ? [] : left),
    },
  ],
  record: {
    fields: ["outcome"],
    fold: ({ outcome }, { resource, observed }) => {
      const pod = observed.find(coreKinds.Pod, resource.metadata.name);
      const { phase } = (pod?.["status"] ?? {}) as { readonly phase?: string };
      if (outcome !== undefined || pod === undefined) return { outcome };
      if (phase === "Succeeded" || phase === "Failed") return { outcome: phase };
      const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
      return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0
        ? { outcome: "Deleted" }
        : {};
    },
  },
});
