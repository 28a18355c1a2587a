import type { StageStatus } from "../../../crds/pipeline-status.ts";
import type { PromotionRecord, PromotionSpec } from "../../../crds/promotion.ts";
import type { SeenResource } from "../../../test/cluster/harness.ts";
import type { SeenObject } from "../api.ts";

/** A Promotion, as read by a user. */
export type SeenPromotion = SeenObject & {
  readonly spec: PromotionSpec;
  readonly status?: Partial<PromotionRecord> & { readonly phase?: string };
};

/** A Pipeline, as read by a user. */
export type SeenPipeline = SeenResource & {
  readonly status?: {
    readonly head?: { readonly revision: string };
    readonly planning?: { readonly revision: string };
    readonly stages?: readonly StageStatus[];
  };
};

/** Whether a user requested it. Otherwise its Pipeline created it. */
export function isRequest({ metadata }: Pick<SeenPromotion, "metadata">): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller) !== true;
}

/** The last commit before the current target that prod has passed with another digest. */
export function earlierInProd(promotions: readonly SeenPromotion[]): string | undefined {
  const ofProd = promotions
    .filter((one) => one.spec.stage === "prod" && !isRequest(one))
    .toSorted((a, b) => (a.spec.number ?? 0) - (b.spec.number ?? 0));
  const current = ofProd.at(-1)?.spec.digest;
  const earlier = ofProd.findLast(
    ({ spec, status }) => status?.passedAt !== undefined && spec.digest !== current,
  );
  return earlier?.spec.revision;
}
