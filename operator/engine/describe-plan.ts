import type { PruneDecision } from "./decide-prune.ts";
import type { BlockedObject, BlockedReason } from "./gates.ts";
import { type ApplyOutcome, describeWaiting, listNames } from "./outcome.ts";
import type { Plan } from "./plan.ts";

export interface DescribePlanInput {
  /** The last plan of the run. All steps in its `apply` were sent. */
  readonly plan: Plan;
  /** Undefined: not decided, because not all objects are applied. */
  readonly prune: PruneDecision | undefined;
  readonly set: string;
}

/** Describes the outcome of a plan that was executed without a failure: applied, or waiting for objects. Pure. */
export function describePlan({ plan, prune, set }: DescribePlanInput): ApplyOutcome {
  const { blocked, waiting, replace, leftBehind, keep, apply, done } = plan;
  const unwatched = textOf(blocked, ["KindNotWatched"]);
  if (unwatched !== undefined) return { state: "refused", reason: "KindNotWatched", message: unwatched };
  const leaving = [...waiting, ...replace, ...leftBehind];
  if (leaving.length > 0) return describeWaiting(leaving, set);
  const held = textOf(blocked, ["Dependency", "Stage"]);
  const unknown = textOf(blocked, ["KindUnknown"]);
  if (unknown !== undefined)
    return { state: "waiting", reason: "KindUnknown", message: unknown, isWatched: true };
  if (held !== undefined) return { state: "waiting", message: held, isWatched: true };
  // Do not report an unfilled cache. It requeues the resource when it is filled.
  if (blocked.length > 0) return { state: "retry" };
  if (prune?.held !== undefined)
    return { state: "refused", reason: "PruneHeld", message: prune.held.message };
  return { state: "applied", count: keep.length + done.length + apply.flat().length };
}

function textOf(blocked: readonly BlockedObject[], reasons: readonly BlockedReason[]): string | undefined {
  const messages = blocked.filter(({ reason }) => reasons.includes(reason)).map(({ message }) => message);
  return messages.length === 0 ? undefined : listNames(messages.sort());
}
