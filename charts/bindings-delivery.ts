import type { Construct } from "constructs";
import { Approval } from "../crds/approval.ts";
import { type BoundKind, bindKind } from "../crds/binding.ts";
import { Job } from "../crds/core-kinds.ts";
import { Freeze } from "../crds/freeze.ts";
import { keyOf, type LiveObject } from "../crds/object.ts";
import { Pipeline } from "../crds/pipeline.ts";
import { Promotion } from "../crds/promotion.ts";
import { Release } from "../crds/release.ts";
import { ReleasePolicy } from "../crds/release-policy.ts";
import { kinds } from "./bindings.ts";
import { approvalPolicyObjects } from "./pipeline/approval-policy.ts";
import { spansOfPipeline } from "./pipeline/asked-spans.ts";
import { foldPipeline, keyOfPipelineIn, sourceOfPipeline } from "./pipeline/fold-pipeline.ts";
import { foldPromotion, soughtByPromotion } from "./pipeline/fold-promotion.ts";
import { keepPromotions } from "./pipeline/keep-promotions.ts";
import { PipelineChart } from "./pipeline/pipeline-chart.ts";
import { pipelineMetrics } from "./pipeline/pipeline-metrics.ts";
import { PromotionChart } from "./pipeline/promotion-chart.ts";
import { promotionMetrics } from "./pipeline/promotion-metrics.ts";
import { keysOfPromotion } from "./pipeline/promotion-names.ts";
import { promotionTrailers } from "./pipeline/promotion-trailers.ts";
import { pipelineKeyOf } from "./pipeline/release-view.ts";
import { judgePipeline, reportPipeline } from "./pipeline/report-pipeline.ts";
import { judgePromotion, reportPromotion } from "./pipeline/report-promotion.ts";

const everyPipeline = "pipelines";

export const pipeline: BoundKind<Construct> = bindKind({
  definition: Pipeline,
  chart: PipelineChart,
  // Promotions record the history of a Pipeline, and are not part of what it deploys.
  children: [{ kind: Promotion, lifetime: "once", publish: false, keep: keepPromotions }],
  related: [
    {
      kind: Release,
      ownerKey: pipelineKeyOf,
      fields: ["spec.revision", "spec.digest", "spec.next"],
      trailers: promotionTrailers,
    },
    // Includes those that users created.
    { kind: Promotion, ownerKey: keysOfPromotion },
    { kind: Approval, ownerKey: keyOfPipelineIn },
    {
      kind: Freeze,
      ownerKey: ({ metadata }) => metadata.namespace,
      soughtKey: ({ metadata }) => metadata.namespace,
    },
    // They map e-mail addresses in commits to users.
    { kind: ReleasePolicy, ownerKey: () => everyPipeline, soughtKey: () => everyPipeline },
    ...approvalPolicyObjects,
  ],
  needsReleases: true,
  source: {
    required: false,
    of: sourceOfPipeline,
    actAs: ({ spec }) => spec?.serviceAccountName,
    spans: spansOfPipeline,
  },
  record: { fields: ["head", "planning", "candidates"], fold: foldPipeline },
  verdict: judgePipeline,
  status: reportPipeline,
  metrics: pipelineMetrics,
});

export const promotion: BoundKind<Construct> = bindKind({
  definition: Promotion,
  chart: PromotionChart,
  children: [{ kind: Job, lifetime: "run", publish: false }],
  related: [
    { kind: Release, ownerKey: pipelineKeyOf, soughtKey: soughtByPromotion },
    { kind: Pipeline, ownerKey: keyOf, soughtKey: soughtByPromotion },
    // The Promotion that the Pipeline created for a request.
    { kind: Promotion, ownerKey: keyOfRequest },
  ],
  needsReleases: true,
  record: {
    fields: [
      "verifications",
      "passedAt",
      "failedAt",
      "lateSince",
      "reason",
      "message",
      "startedAs",
      "supersededBy",
    ],
    fold: foldPromotion,
  },
  verdict: judgePromotion,
  status: reportPromotion,
  metrics: promotionMetrics,
});

/** Key of the Promotion with which a user requested this one. */
function keyOfRequest({ metadata, spec }: LiveObject): string | undefined {
  const { request } = (spec ?? {}) as { readonly request?: { readonly name?: string } };
  return request?.name === undefined ? undefined : `${metadata.namespace}/${request.name}`;
}

/** The kinds that are installed and reconciled with Releases. */
export const deliveryKinds: readonly BoundKind<Construct>[] = [pipeline, promotion];

/** All kinds of the shipped program. */
export const shippedKinds: readonly BoundKind<Construct>[] = [...kinds, ...deliveryKinds];
