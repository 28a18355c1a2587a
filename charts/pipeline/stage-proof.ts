import type { KindClock } from "../../crds/kind-context.ts";
import type { PromotionRecord, PromotionSpec } from "../../crds/promotion.ts";
import { assessProof, type Proof } from "./proof.ts";
import type { ReleaseView } from "./release-view.ts";
import type { Stage } from "./shape.ts";
import { proofRulesOf } from "./stage-rules.ts";
import { verificationJobName } from "./verification-jobs.ts";

/** The fields of a Promotion that its proof depends on. */
export interface ProvenPromotion {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly createdAt: string;
  readonly spec: PromotionSpec;
  readonly verifications?: PromotionRecord["verifications"];
  readonly lateSince?: string | undefined;
}

/** A stage, and the Releases of it that count, by key. */
export interface ProvenStage {
  readonly stage: Stage;
  readonly releases: ReadonlyMap<string, ReleaseView>;
  readonly clock: KindClock;
}

/** Whether a stage has proven the target of a Promotion, by the stage's current rules. Pure. */
export function proofOfStage(promotion: ProvenPromotion, { stage, releases, clock }: ProvenStage): Proof {
  const { spec, createdAt, verifications, lateSince } = promotion;
  return assessProof({
    spec,
    createdAt,
    rules: proofRulesOf(stage, spec),
    releases,
    verifications,
    lateSince,
    jobOf: (verification) => verificationJobName(promotion, verification),
    clock,
  });
}
