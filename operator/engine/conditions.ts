import type { OwnCondition } from "../../crds/binding.ts";
import type { Condition, ConditionStatus, ConditionType, Reason } from "../../crds/conditions.ts";
import type { Health } from "./health/health.ts";
import type { ApplyOutcome } from "./outcome.ts";
import { describeLost, type SourceStanding } from "./source-standing.ts";
import type { StatusInput } from "./status.ts";

export interface ConditionsInput
  extends Pick<
    StatusInput,
    "resource" | "applied" | "health" | "publish" | "expired" | "standing" | "keepsOrder" | "nowIso"
  > {
  readonly own: readonly OwnCondition[];
  readonly previous: readonly Condition[];
}

/** One of the engine's conditions, without `lastTransitionTime`. */
export interface Statement {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

const engineTypes: ReadonlySet<string> = new Set<ConditionType>([
  "Ready",
  "Sourced",
  "Applied",
  "Healthy",
  "Published",
  "Reconciling",
  "Stalled",
  "Expired",
]);

/** Composes the conditions: the engine's in a fixed order, then the kind's own, sorted by type or in the order of the kind. */
export function composeConditions(input: ConditionsInput): Condition[] {
  const { applied, health, publish, own, previous, standing, keepsOrder = false } = input;
  const sourced = standing?.statement;
  const before = new Map(previous.map((condition) => [condition.type, condition]));
  const held = standing?.isHeld === true ? withoutSource(standing, previous, health) : undefined;
  const isApplied = held?.applied ?? describeApplied(applied, before.get("Applied"));
  const isHealthy = held?.healthy ?? describeHealthy(health, isApplied);
  const stalled = describeStalled(applied, health);
  const assessed = held?.ready ?? stalled ?? describeReady(isApplied, isHealthy);
  const lost = standing?.isLost === true && assessed.status === "True" ? standing.cause : undefined;
  const ready: Statement = lost === undefined ? assessed : { ...lost, type: "Ready" };
  const stamp = (statement: Statement | OwnCondition) => withTransition(statement, before, input);
  const kept = publish?.state === "skipped" ? previous.filter(({ type }) => type === "Published") : [];
  return [
    ...[ready, ...(sourced === undefined ? [] : [sourced]), isApplied, isHealthy].map(stamp),
    ...kept,
    ...[
      ...describePublished(publish),
      ...(held?.progress ??
        (stalled !== undefined
          ? [{ ...stalled, type: "Stalled", status: "True" } as const]
          : lost === undefined
            ? describeProgress(applied, isApplied, isHealthy, health)
            : [describeLost(lost)])),
      ...describeExpired(input.expired),
    ].map(stamp),
    ...own
      .filter(({ type }) => !engineTypes.has(type))
      .map(stamp)
      .toSorted((a, b) => (keepsOrder ? 0 : a.type < b.type ? -1 : 1)),
  ];
}

/** Conditions without the source: those about the objects stay, and the resource stays ready unless its source is lost. */
function withoutSource(
  { statement, cause = statement, isLost }: SourceStanding,
  previous: readonly Condition[],
  health: Health | undefined,
) {
  const { applied, healthy, isAssessed } = keepObjects(cause, previous, health);
  const isUnhealthy = isAssessed && healthy.status !== "True";
  const ready = isLost || isUnhealthy ? undefined : lastOf("Ready", previous);
  // Do not report `Reconciling` during an outage of a remote that has not made the resource unready.
  const isQuiet = ready !== undefined && cause.status === "False";
  return {
    applied,
    healthy,
    ready: ready ?? ({ ...cause, type: "Ready" } as const),
    progress: isQuiet ? [] : [describeLost(cause)],
  };
}

/** The last conditions of the objects, or unknown ones, while nothing is applied. */
export function keepObjects(
  { reason }: Pick<Statement, "reason">,
  previous: readonly Condition[],
  health: Health | undefined,
) {
  const unknown = { status: "Unknown", reason, message: "Not applied yet" } as const;
  // An unknown one states why nothing is applied now, which may have changed.
  const keep = (type: "Applied" | "Healthy"): Statement => {
    const last = lastOf(type, previous);
    return last === undefined || last.status === "Unknown" ? { type, ...unknown } : last;
  };
  const applied = keep("Applied");
  // Assess the objects only if they are applied. They may have been applied by an earlier run.
  const isAssessed = health !== undefined && applied.status === "True";
  const healthy: Statement = isAssessed ? describeHealthy(health, applied) : keep("Healthy");
  return { applied, healthy, isAssessed };
}

/** A condition of the engine in the status. */
export function lastOf(type: ConditionType, previous: readonly Condition[]): Statement | undefined {
  return previous.find((condition) => condition.type === type) as Statement | undefined;
}

function describeApplied(applied: ApplyOutcome, previous: Condition | undefined): Statement {
  const type = "Applied";
  switch (applied.state) {
    case "applied": {
      const what = applied.count === 1 ? "1 object" : `${applied.count} objects`;
      const but = applied.waiting === undefined ? "" : `; ${applied.waiting}`;
      return { type, status: "True", reason: "Applied", message: `Applied ${what}${but}` };
    }
    case "waiting":
      return { type, status: "False", reason: applied.reason ?? "Progressing", message: applied.message };
    case "refused":
      return { type, status: "False", reason: applied.reason, message: applied.message };
    case "failed":
      return { type, status: "False", reason: "ApplyFailed", message: applied.message };
    case "retry":
      // A write conflict is not reported: the previous statement stays until there is a new one.
      return previous === undefined
        ? { type, status: "Unknown", reason: "Progressing", message: "Not applied yet" }
        : { type, status: previous.status, reason: previous.reason as Reason, message: previous.message };
  }
}

/** The condition `Healthy`, beside the condition `Applied`. Pure. */
export function describeHealthy(
  health: Health | undefined,
  { reason, status }: Pick<Statement, "reason" | "status">,
): Statement {
  const type = "Healthy";
  if (health === undefined) {
    const cause = status === "True" ? "Progressing" : reason;
    return { type, status: "Unknown", reason: cause, message: "Unknown until the objects are applied" };
  }
  const { message } = health;
  switch (health.status) {
    case "Current":
      return { type, status: "True", reason: "Healthy", message };
    case "Suspended":
      return { type, status: "True", reason: "Suspended", message };
    case "Failed":
      return { type, status: "False", reason: health.isInvalid ? "SpecInvalid" : "Failed", message };
    case "InProgress":
    case "NotFound":
      return { type, status: "False", reason: "Progressing", message };
    case "Terminating":
      return { type, status: "False", reason: "Deleting", message };
  }
}

function describeReady(applied: Statement, healthy: Statement): Statement {
  const cause = [applied, healthy].find(({ status }) => status !== "True");
  if (cause !== undefined) return { ...cause, type: "Ready" };
  return { type: "Ready", status: "True", reason: "Reconciled", message: healthy.message };
}

/** Describes a resource that waits for a failed object, or for longer than its timeout. */
function describeStalled(applied: ApplyOutcome, health: Health | undefined): Statement | undefined {
  if (applied.state !== "waiting" || health?.status !== "Failed") return undefined;
  const message = `${applied.message}; ${health.message}`;
  return { type: "Ready", status: "False", reason: "Failed", message };
}

function describePublished(publish: ConditionsInput["publish"]): readonly Statement[] {
  const type = "Published";
  switch (publish?.state) {
    case "published":
      return [{ type, status: "True", reason: "Published", message: `Commit ${publish.record.commit}` }];
    case "pending":
      return [{ type, status: "Unknown", reason: "Pending", message: "Waiting for its commit to be pushed" }];
    case "failed":
      return [{ type, status: "False", reason: publish.reason, message: publish.message }];
    default:
      return [];
  }
}

/** The condition is present only while it is true. */
function describeExpired(message: string | undefined): readonly Statement[] {
  return message === undefined
    ? []
    : [{ type: "Expired", status: "True", reason: "DeclaredElsewhere", message }];
}

/** kstatus: at most one of `Reconciling` and `Stalled`, and only while true. */
function describeProgress(
  applied: ApplyOutcome,
  isApplied: Statement,
  isHealthy: Statement,
  health: Health | undefined,
): readonly Statement[] {
  if (applied.state === "refused") return [{ ...isApplied, type: "Stalled", status: "True" }];
  if (isApplied.status !== "True") return [{ ...isApplied, type: "Reconciling", status: "True" }];
  if (health?.status === "Failed") return [{ ...isHealthy, type: "Stalled", status: "True" }];
  return isHealthy.status === "True" ? [] : [{ ...isHealthy, type: "Reconciling", status: "True" }];
}

/** Adds `lastTransitionTime` to a statement. A kept condition keeps its observed generation. */
export function withTransition(
  statement: Statement | OwnCondition,
  before: ReadonlyMap<string, Condition>,
  { resource, nowIso }: Pick<ConditionsInput, "resource" | "nowIso">,
): Condition {
  const { type, status, reason = "", message } = statement;
  const last = before.get(type);
  if (last === statement) return last;
  return {
    type,
    status,
    reason,
    // The maximum length of the schema. A message may contain a response of the API server. Half a character would be replaced there.
    message: message.slice(0, 32_768).toWellFormed(),
    lastTransitionTime: last?.status === status ? last.lastTransitionTime : nowIso,
    ...(resource.metadata.generation !== undefined && { observedGeneration: resource.metadata.generation }),
  };
}
