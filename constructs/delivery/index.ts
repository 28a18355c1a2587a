// The public API: constructs with which a program describes a Pipeline and the Releases of its stages.
export { Pipeline } from "./pipeline.ts";
export type {
  DeliverySource,
  PipelineProps,
  Recurrence,
  RightsRule,
  StageDifference,
  StageProps,
  StageVerification,
  Subject,
} from "./pipeline-props.ts";
export type { InputsOf, ProgramModule } from "./program-inputs.ts";
export type { Stage, StageReleaseProps } from "./stage.ts";
