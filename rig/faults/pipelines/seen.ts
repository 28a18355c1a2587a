import type { StageStatus } from "../../../crds/pipeline-status.ts";
import type { PromotionRecord, PromotionSpec } from "../../../crds/promotion.ts";
import type { SeenResource } from "../../../test/cluster/story.ts";
import type { SeenObject } from "../api.ts";

/** A Promotion as its user sees it. */
export type SeenPromotion = SeenObject & {
  readonly spec: PromotionSpec;
  readonly status?: Partial<PromotionRecord> & { readonly phase?: string };
};

/** A Pipeline as its user sees it. */
export type SeenPipeline = SeenResource & {
  readonly status?: {
    readonly head?: { readonly revision: string };
    readonly planning?: { readonly revision: string };
    readonly stages?: readonly StageStatus[];
  };
};

/** Whether a user asks for it; else its Pipeline created it. */
export function isRequest({ metadata }: Pick<SeenPromotion, "metadata">): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller) !== true;
}

/** The commit that prod had passed before what it is to run now, and that renders otherwise. */
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
