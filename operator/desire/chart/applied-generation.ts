import type { CustomResource } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";

/**
 * Whether all objects were applied for the generation and the record of a resource. Only then a smaller set is unexpected, and
 * its prune may be held. Pure.
 */
export function wasApplied({ metadata: { generation }, status }: CustomResource): boolean {
  const { observedGeneration, appliedGeneration, conditions = [] } = (status ?? {}) as EngineStatus;
  if (generation === undefined || observedGeneration !== generation) return false;
  return appliedGeneration === generation || conditions.some((one) => isApplied(one, generation));
}

/** The status with the generation that was applied, if its condition `Applied` does not contain it any more. Pure. */
export function withAppliedGeneration<Status extends EngineStatus>(
  resource: CustomResource,
  status: Status,
): Status {
  const { generation } = resource.metadata;
  const isKnown = status.conditions?.some((one) => isApplied(one, generation)) === true;
  return isKnown || !wasApplied(resource) ? status : { ...status, appliedGeneration: generation };
}

/** The status without the generation that was applied: the objects do not match a new record yet. Pure. */
export function withoutAppliedGeneration<Status extends EngineStatus>({
  appliedGeneration: _,
  ...status
}: Status): Omit<Status, "appliedGeneration"> {
  const conditions = status.conditions?.map((condition) => {
    if (condition.type !== "Applied") return condition;
    const { observedGeneration: _, ...others } = condition;
    return others;
  });
  return { ...status, ...(conditions && { conditions }) };
}

function isApplied(
  { type, status, reason, observedGeneration }: NonNullable<EngineStatus["conditions"]>[number],
  generation: number | undefined,
): boolean {
  return (
    type === "Applied" && observedGeneration === generation && (status === "True" || reason === "PruneHeld")
  );
}
