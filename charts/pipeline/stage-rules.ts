import { toMilliseconds } from "../../crds/duration.ts";
import type { PipelineStage, Verification } from "../../crds/pipeline-stage.ts";
import type { PromotionSpec } from "../../crds/promotion.ts";

/** The conditions for a Promotion to pass. */
export interface ProofRules {
  readonly soak: string;
  readonly verify: readonly Verification[];
  /** Time after the deployment at which it fails. */
  readonly timeoutMs: number;
}

const hourMs = 3_600_000;

/**
 * The current rules for a Promotion: those of its stage, except for skipped gates, and except for a digest that has passed
 * before. Pure.
 */
export function proofRulesOf(
  { pass = {} }: Pick<PipelineStage, "pass">,
  { bypass = [], provenBy }: Pick<PromotionSpec, "bypass" | "provenBy">,
): ProofRules {
  const isProven = provenBy !== undefined;
  const soak = isProven || bypass.includes("Soak") ? "0s" : (pass.soak ?? "0s");
  const timeoutMs = pass.timeout === undefined ? toMilliseconds(soak) + hourMs : toMilliseconds(pass.timeout);
  return { soak, verify: isProven || bypass.includes("Verify") ? [] : (pass.verify ?? []), timeoutMs };
}

/** Whether a duration is zero. Pure. */
export function isNoTime(duration: string): boolean {
  return toMilliseconds(duration) === 0;
}
