// The public API: everything that the author of a kind needs, and nothing else.
export { CrdsChart } from "./charts/crds-chart.ts";
export { type InstallChartOptions, installChart } from "./charts/install-chart.ts";
export type { OperatorValues } from "./charts/values/operator-values.ts";
export { OperatorValuesError } from "./charts/values/values-error.ts";
export {
  type BindKindInput,
  type BoundKind,
  bindKind,
  type ChartProps,
  type ChartResource,
  type OwnCondition,
  type RelatedObjects,
} from "./crds/binding.ts";
export type { ChildKind, KeepRule, Lifetime } from "./crds/child-kind.ts";
export type { CommitTrailer } from "./crds/commit-trailer.ts";
export * as coreKinds from "./crds/core-kinds.ts";
export { InvalidFieldError } from "./crds/invalid-field-error.ts";
export { type DefinedKind, defineKind, type ResourceOf, type SpecOf, type StatusOf } from "./crds/kind.ts";
export type { KindClock, KindContext, NoRecord, Verdict } from "./crds/kind-context.ts";
export type { KindMetric, MetricLabels, MetricSample } from "./crds/kind-metrics.ts";
export type {
  CommitSpan,
  GitSource,
  KindSource,
  ReadySource,
  SourceCommit,
  SourceContext,
  SpanAuthor,
  SpanAuthors,
} from "./crds/kind-source.ts";
export type { CustomResource, KubernetesObject, LiveObject, ObjectKind } from "./crds/object.ts";
export type { Observed } from "./crds/observed.ts";
export type { KindState, RecordField, RecordInput, RecordOf } from "./crds/record.ts";
export type { SetPolicy } from "./crds/set-policy.ts";
export type { OptionTexts } from "./operator/config.ts";
export { type RunOperatorInput, runOperator } from "./operator/main.ts";
export type { ManifestSet } from "./synth/manifest.ts";
export { synthesize } from "./synth/synthesize.ts";
