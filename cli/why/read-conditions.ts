import type { Condition } from "../../crds/conditions.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { type RemedyContext, remedyOf } from "./remedies.ts";
import type { Wait } from "./why-report.ts";

/** The state of a resource, from its conditions. */
export interface ConditionedResource {
  readonly metadata: { readonly generation?: number };
  readonly status?: unknown;
}

/** The conditions of a resource, for users. */
export interface ConditionsSay {
  readonly waits: readonly Wait[];
  readonly next: readonly string[];
  readonly changed: readonly string[];
}

/** In the order in which they are shown: the cause first. */
const told = ["Expired", "Sourced", "Applied", "Healthy", "Published", "Stalled", "Reconciling", "Ready"];
const mostChanges = 3;

/** Reads from conditions what a resource waits for, what to do about it, and which of them changed last. Pure. */
export function readConditions(
  { metadata, status }: ConditionedResource,
  context: Omit<RemedyContext, "sinceMs">,
): ConditionsSay {
  const { conditions = [], observedGeneration } = (status ?? {}) as EngineStatus;
  const bad = told.flatMap((type) => conditions.find((one) => one.type === type && isBad(one)) ?? []);
  const causes = bad.filter((one, index) => !isRepeated(one, bad.slice(0, index)));
  const remedies = causes.map((condition) => ({
    condition,
    remedy: remedyOf(condition.reason, { ...context, sinceMs: Date.parse(condition.lastTransitionTime) }),
  }));
  const isNew = observedGeneration === undefined || observedGeneration < (metadata.generation ?? 0);
  return {
    waits: [
      ...(isNew ? [waitForOperator(observedGeneration, metadata.generation)] : []),
      ...remedies.map(({ condition: { reason, message, lastTransitionTime }, remedy: { until } }) => {
        return { on: reason, message, since: lastTransitionTime, ...(until !== undefined && { until }) };
      }),
    ],
    next: [
      ...(isNew ? [`${context.commands.operatorLog}   # shows whether an operator runs`] : []),
      ...new Set(remedies.flatMap(({ remedy }) => remedy.next)),
    ],
    changed: conditions
      .filter(({ type }) => type !== "Stalled" && type !== "Reconciling")
      .toSorted((a, b) => Date.parse(b.lastTransitionTime) - Date.parse(a.lastTransitionTime))
      .slice(0, mostChanges)
      .map(({ type, status: is, reason, lastTransitionTime }) => {
        return `${type} is ${is} since ${lastTransitionTime}, now ${reason}`;
      }),
  };
}

/** A condition that is true while work remains describes it after a semicolon. */
const isUnfinished = ({ type, message }: Condition): boolean =>
  type === "Applied" && message.includes("; not deleted yet: ");

function isBad(condition: Condition): boolean {
  const { type, status, reason } = condition;
  if (type === "Stalled" || type === "Reconciling" || type === "Expired") return status === "True";
  if (type === "Ready" && reason === "Suspended") return true;
  return status !== "True" || isUnfinished(condition);
}

/** Conditions that depend on others have the same message, or only refer to them. */
function isRepeated({ type, status, reason, message }: Condition, before: readonly Condition[]): boolean {
  if (type === "Healthy" && status === "Unknown" && before.length > 0) return true;
  if (type === "Applied" && status === "Unknown" && before.length > 0) return true;
  const follows = type === "Ready" || type === "Stalled" || type === "Reconciling";
  return before.some((one) => one.message === message || (follows && one.reason === reason));
}

function waitForOperator(observed: number | undefined, generation: number | undefined): Wait {
  const message =
    observed === undefined
      ? "The operator has not reconciled it yet"
      : `The operator has not reconciled generation ${generation} yet; the conditions are of generation ${observed}`;
  return { on: "Operator", message, until: "a running, leading operator reconciles it" };
}
