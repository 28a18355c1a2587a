import type { Construct } from "constructs";
import { decidePins, type ReleasePin } from "../../../charts/pipeline/decide-pins.ts";
import { decideStage } from "../../../charts/pipeline/decide-stage.ts";
import { dueVerifications } from "../../../charts/pipeline/due-verifications.ts";
import { verificationJob } from "../../../charts/pipeline/verification-jobs.ts";
import { readWorld } from "../../../charts/pipeline/world.ts";
import type { BoundKind } from "../../../crds/binding.ts";
import type { KindContext } from "../../../crds/kind-context.ts";
import type { SourceContext } from "../../../crds/kind-source.ts";
import type { CustomResource } from "../../../crds/object.ts";
import type { Observed } from "../../../crds/observed.ts";
import type { PipelineRecord, PipelineResource } from "../../../crds/pipeline.ts";
import type { PromotionRecord, PromotionResource } from "../../../crds/promotion.ts";
import type { Comparison } from "../../../crds/stage-differences.ts";
import { synthesize } from "../../../synth/synthesize.ts";

/** The decisions of a kind: children to create, and fields to set. */
export interface Decided {
  readonly children: readonly { readonly kind: string; readonly name: string; readonly spec: object }[];
  readonly pins: readonly ReleasePin[];
}

export interface DecideInput {
  readonly kind: BoundKind<Construct>;
  readonly resource: CustomResource;
  readonly observed: Observed;
  readonly context: KindContext<unknown> & SourceContext;
}

export type Decider = (input: DecideInput) => Decided;

/** Runs the charts, as the operator does. */
export const decideWithCharts: Decider = ({ kind, resource, observed, context }) => {
  const { manifests, additions } = synthesize(kind, resource, observed, context as never);
  return {
    children: manifests.map((manifest) => ({
      kind: manifest.kind,
      name: manifest.metadata.name,
      spec: manifest["spec"] as object,
    })),
    pins: additions.map(({ manifest }) => {
      const { revision, digest, next } = manifest["spec"] as {
        readonly revision?: string;
        readonly digest?: string;
        readonly next?: { readonly revision: string; readonly compare?: readonly Comparison[] };
      };
      const { name, namespace = "" } = manifest.metadata;
      return {
        name,
        namespace,
        ...(revision && { revision }),
        ...(digest && { digest }),
        ...(next && { next: next.revision, ...(next.compare && { compare: next.compare }) }),
      };
    }),
  };
};

/** Calls the decisions without the charts, which takes a tenth of the time. */
export const decideFast: Decider = ({ kind, resource, observed, context }) => {
  const { clock } = context;
  if (kind.definition.kind === "Pipeline") {
    const record = context.record as PipelineRecord;
    const { source } = context;
    const world = readWorld({ resource: resource as PipelineResource, observed, record, clock, source });
    const started = world.stages.flatMap((stage) => decideStage(stage, world).start ?? []);
    return {
      children: started.map((one) => ({ kind: "Promotion", ...one })),
      pins: decidePins(world, new Set(started.map(({ spec }) => spec.stage))),
    };
  }
  const record = context.record as PromotionRecord;
  const due = dueVerifications(resource as PromotionResource, { observed, record, clock });
  return {
    children: due.map(({ name, verification }) => ({
      kind: "Job",
      name,
      spec: verificationJob(verification).spec,
    })),
    pins: [],
  };
};
