import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import type { Stores } from "../ports.ts";
import { isSent } from "./explain-run.ts";
import type { ShapeOf } from "./field-shape.ts";
import { type AdditionPlan, planAdditions, planRemovals } from "./plan-additions.ts";
import type { StepReason } from "./reasons.ts";
import type { SettledObjects } from "./settled.ts";
import type { Target } from "./subject.ts";

/** Describes the additions and removals of a run that ended before them. Pure. */
export function explainPostponed(input: PlanExtensionInput): readonly StepReason[] {
  return planExtension(input).reasons.map((step) =>
    holdStep(step, "the resource's own objects are applied first"),
  );
}

export interface PlanExtensionInput extends Pick<Target, "desired"> {
  readonly related: Stores["related"];
  readonly settled: SettledObjects;
  readonly shapeOf: ShapeOf;
}

/** Plans the additions to objects of other owners, and the removals. Pure. */
export function planExtension({ desired, related, settled, shapeOf }: PlanExtensionInput): {
  readonly additions: AdditionPlan;
  readonly reasons: readonly StepReason[];
} {
  const { additions = [], removals = [] } = desired;
  const seen = {
    observed: ({ kind, selector, manifest }: Addition): LiveObject | undefined =>
      related(kind, selector).get(keyOf(manifest)),
    isSettled: (live: LiveObject, addition: Addition): boolean => settled.has(live, addition),
  };
  const plan = planAdditions({ additions, shapeOf, ...seen });
  return { additions: plan, reasons: [...planRemovals({ removals, ...seen }).reasons, ...plan.reasons] };
}

/** Changes a step that would be sent to a held one with this reason. Other steps are not changed. Pure. */
export function holdStep(step: StepReason, reason: string): StepReason {
  return isSent(step) ? { does: "hold", id: step.id, reason } : step;
}
