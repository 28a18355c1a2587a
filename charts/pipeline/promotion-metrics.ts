import type { KindMetric, MetricLabels, MetricSample } from "../../crds/kind-metrics.ts";
import type { LiveObject } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import type { PromotionResource } from "../../crds/promotion.ts";
import { isStarted } from "./fold-promotion.ts";
import { labelsOfStages, stageLabels } from "./stage-labels.ts";

const [minute, hour, day] = [60, 3_600, 86_400];

/** Values of the label `result`. `rolled_back`: an automatic rollback has passed; it does not count as a deployment. */
const results = ["passed", "failed", "rolled_back"] as const;

/**
 * Deployments, failures, lead time and time to restore of stages. The leader that writes the outcome of a Promotion counts it
 * once.
 */
export const promotionMetrics: readonly KindMetric<PromotionResource>[] = [
  {
    type: "counter",
    name: "fairlead_promotions_total",
    help: "Promotions with an outcome, by stage",
    labels: [...stageLabels, "result"],
    samples: countOutcome,
    series: {
      kind: Pipeline,
      of: (pipeline) =>
        labelsOfStages(pipeline).flatMap((labels) => results.map((result) => ({ ...labels, result }))),
    },
  },
  {
    type: "histogram",
    name: "fairlead_promotion_lead_time_seconds",
    help: "Time from a commit to when it has passed a stage",
    labels: stageLabels,
    buckets: [minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 3 * day, 7 * day, 30 * day],
    samples: (promotion) => untilPassed(promotion, promotion.spec?.committedAt),
    series: { kind: Pipeline, of: labelsOfStages },
  },
  {
    type: "histogram",
    name: "fairlead_stage_restore_seconds",
    help: "Time from the failure of a stage to the next Promotion that passed it",
    labels: stageLabels,
    buckets: [minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 7 * day],
    samples: (promotion) => untilPassed(promotion, promotion.spec?.failedSince),
    series: { kind: Pipeline, of: labelsOfStages },
  },
];

function labelsOf({ metadata, spec }: LiveObject): MetricLabels {
  const { pipeline = "", stage = "" } = (spec ?? {}) as Partial<PromotionResource["spec"]>;
  return { namespace: metadata.namespace ?? "", pipeline, stage };
}

function countOutcome(promotion: PromotionResource): readonly MetricSample[] {
  const { spec, status } = promotion;
  // The Promotion that was started for a request is counted instead of the request.
  if (!isStarted(promotion)) return [];
  const passed = spec?.rollback === true ? "rolled_back" : "passed";
  const result =
    status?.passedAt !== undefined ? passed : status?.failedAt === undefined ? undefined : "failed";
  return result === undefined ? [] : [{ labels: { ...labelsOf(promotion), result }, value: 1 }];
}

/** Seconds from an instant until the Promotion passed. Never negative, even if the clock of a committer is ahead. */
function untilPassed(promotion: PromotionResource, since: string | undefined): readonly MetricSample[] {
  const { passedAt } = promotion.status ?? {};
  if (since === undefined || passedAt === undefined || !isStarted(promotion)) return [];
  const seconds = (Date.parse(passedAt) - Date.parse(since)) / 1_000;
  return [{ labels: labelsOf(promotion), value: Math.max(0, seconds) }];
}
