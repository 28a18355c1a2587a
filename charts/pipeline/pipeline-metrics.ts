import type { KindMetric, MetricSample } from "../../crds/kind-metrics.ts";
import type { PipelineResource } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { stageLabels } from "./stage-labels.ts";

type WaitingGate = NonNullable<StageStatus["waiting"]>[number];

/** Gauges of the stages of a Pipeline, from its status: failures, waiting candidates, and blocked gates. */
export const pipelineMetrics: readonly KindMetric<PipelineResource>[] = [
  {
    type: "gauge",
    name: "fairlead_stage_failed",
    help: "1 from the failure of a stage until a Promotion passes it, else 0",
    labels: stageLabels,
    samples: (pipeline) =>
      eachStage(pipeline, ({ failedSince }) => [{ labels: {}, value: failedSince === undefined ? 0 : 1 }]),
  },
  {
    type: "gauge",
    name: "fairlead_candidates_waiting",
    help: "1 while the next candidate of a stage waits for this gate",
    labels: [...stageLabels, "gate"],
    samples: (pipeline) => eachStage(pipeline, ({ waiting = [] }) => gatesOf(waiting)),
  },
  {
    type: "gauge",
    name: "fairlead_gate_blocked",
    help: "1 while a gate that a stage waits for cannot open without a change of the Pipeline or the platform",
    labels: [...stageLabels, "gate"],
    samples: (pipeline) =>
      eachStage(pipeline, ({ waiting = [] }) => gatesOf(waiting.filter(({ blocked }) => blocked === true))),
  },
];

/** The samples of the stages in the spec, with the labels of each stage. */
function eachStage(
  { metadata, spec, status }: PipelineResource,
  samplesOf: (stage: StageStatus) => readonly MetricSample[],
): readonly MetricSample[] {
  const names = new Set(spec?.stages?.map(({ name }) => name));
  return (status?.stages ?? [])
    .filter(({ name }) => names.has(name))
    .flatMap((stage) => {
      const of = { namespace: metadata.namespace ?? "", pipeline: metadata.name, stage: stage.name };
      return samplesOf(stage).map(({ labels, value }) => ({ labels: { ...of, ...labels }, value }));
    });
}

function gatesOf(waiting: readonly WaitingGate[]): readonly MetricSample[] {
  return [...new Set(waiting.map(({ gate }) => gate))].map((gate) => ({ labels: { gate }, value: 1 }));
}
