import { dnsSubdomain } from "../../crds/names.ts";
import type { LiveObject } from "../../crds/object.ts";
import { keyOfPipelineIn } from "./fold-pipeline.ts";

/** Name of a Promotion that a Pipeline creates. Pure. */
export function promotionName({
  pipeline,
  stage,
  number,
}: {
  readonly pipeline: string;
  readonly stage: string;
  readonly number: number;
}): string {
  return dnsSubdomain(`${pipeline}-${stage}-${number}`);
}

/** Maximum number of parts of a name for which other Pipelines are considered. */
const mostParts = 16;

/**
 * The keys of the Pipelines that a Promotion concerns: its own Pipeline, and those that could create a Promotion of this
 * name. Stage `b-c` of `a` and stage `c` of `a-b` have the same names, and a user may choose any name. Pure.
 */
export function keysOfPromotion(promotion: LiveObject): readonly string[] {
  const { name, namespace } = promotion.metadata;
  const own = keyOfPipelineIn(promotion);
  const parts = /-[0-9]+$/.test(name) ? name.split("-").slice(0, -1) : [];
  const others = parts.length > mostParts ? [] : parts.slice(1);
  const keys = others.map((_, index) => `${namespace}/${parts.slice(0, index + 1).join("-")}`);
  return [...new Set([...(own === undefined ? [] : [own]), ...keys])];
}
