import type { MetricLabels } from "../../crds/kind-metrics.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { PipelineResource } from "../../crds/pipeline.ts";

/** Labels of all metrics of stages. */
export const stageLabels = ["namespace", "pipeline", "stage"] as const;

/** The labels of each stage of a Pipeline, whether its spec is valid or not. Pure. */
export function labelsOfStages({ metadata, spec }: LiveObject): readonly MetricLabels[] {
  const { stages = [] } = (spec ?? {}) as Partial<PipelineResource["spec"]>;
  return stages.map(({ name }) => ({
    namespace: metadata.namespace ?? "",
    pipeline: metadata.name,
    stage: name,
  }));
}
