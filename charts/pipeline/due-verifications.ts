import type { KindClock } from "../../crds/kind-context.ts";
import type { Observed } from "../../crds/observed.ts";
import type { Verification } from "../../crds/pipeline-stage.ts";
import type { PromotionRecord } from "../../crds/promotion.ts";
import { ownJob, type PromotionSubject, releasesOfStage, stageOfPromotion } from "./fold-promotion.ts";
import { isOpen } from "./promotions.ts";
import { areHealthy } from "./proof.ts";
import { proofRulesOf } from "./stage-rules.ts";
import { verificationJobName } from "./verification-jobs.ts";

export interface DueVerification {
  /** Name of the Job. */
  readonly name: string;
  readonly verification: Verification;
}

/**
 * The verifications whose Jobs must exist. A Job is created when the stage is healthy, and kept until its outcome is
 * recorded, even if the stage becomes unhealthy. Pure.
 */
export function dueVerifications(
  subject: PromotionSubject,
  {
    observed,
    record,
    clock,
  }: { readonly observed: Observed; readonly record: Partial<PromotionRecord>; readonly clock: KindClock },
): readonly DueVerification[] {
  const { metadata, spec } = subject;
  // The Jobs of a request belong to the Promotion that the Pipeline creates for it.
  if (spec.number === undefined || !isOpen(record) || record.supersededBy !== undefined) return [];
  const found = stageOfPromotion(subject, observed);
  if (found === undefined) return [];
  const rules = proofRulesOf(found.stage, spec);
  const isHealthy = areHealthy({ spec, rules, releases: releasesOfStage(found.stage, observed), clock });
  return rules.verify
    .map((verification) => ({ name: verificationJobName(metadata, verification), verification }))
    .filter(({ name }) => !(record.verifications ?? []).some(({ job }) => job === name))
    .filter(({ name }) => isHealthy || ownJob(name, subject, observed) !== undefined);
}
