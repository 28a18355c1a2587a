import type { Condition, ConditionStatus } from "../../../crds/conditions.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import { shortId } from "../../../crds/short-id.ts";
import {
  composeConditions,
  keepObjects,
  lastOf,
  type Statement,
  withTransition,
} from "../../engine/conditions.ts";
import type { Health } from "../../engine/health/health.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";
import type { SourceStanding } from "../../engine/source-standing.ts";
import type { StatusInput } from "../../engine/status.ts";
import type { SourceFailure } from "../../errors.ts";
import { describePin, describeRef } from "./ignored.ts";
import type { ReleaseOutcome, SourceReport } from "./release-outcome.ts";

export interface ReleaseConditionsInput {
  readonly resource: ReleaseResource;
  readonly outcome: ReleaseOutcome;
  /** Undefined: its objects were not assessed. */
  readonly health: Health | undefined;
  readonly publish: StatusInput["publish"];
  /** Undefined: there is no new information about it. */
  readonly source: SourceReport | undefined;
  /** Added to the message of `Ready` while it is true, or false because of the source. */
  readonly notice?: string | undefined;
  /** Whether an unavailable source makes the Release not ready. Undefined: the source is available. */
  readonly isSourceLost: boolean | undefined;
  readonly previous: readonly Condition[];
  readonly nowIso: string;
}

/**
 * Composes the conditions of a Release: Ready, Sourced, Applied, Healthy, Published, and Reconciling or Stalled. Unknown parts
 * keep their state; for example, an unavailable source does not affect the deployed objects. Pure.
 */
export function composeReleaseConditions(input: ReleaseConditionsInput): Condition[] {
  const conditions = describeOutcome(input);
  const pin = describePin(input.resource);
  const { state } = input.outcome;
  if (pin === undefined || conditions === input.previous || state === "suspended" || state === "deleting")
    return [...conditions];
  return conditions.map((condition) =>
    // A kept message already contains the text.
    condition.type !== "Ready" || condition.message.endsWith(pin)
      ? condition
      : { ...condition, message: `${condition.message.slice(0, 32_000)}. ${pin}` },
  );
}

function describeOutcome(input: ReleaseConditionsInput): readonly Condition[] {
  const { outcome } = input;
  switch (outcome.state) {
    case "unsourced":
      return withoutSource(outcome.failure, input);
    case "pending":
      if (!isDeployed(input)) return stillPending(outcome.message, input);
      return outcome.isLong === true ? longPending(outcome.message, input) : input.previous;
    case "suspended":
      return suspended(input);
    case "deleting":
      return deleting(outcome.message, input);
    default:
      return applied(outcome, input);
  }
}

function applied(outcome: ApplyOutcome, input: ReleaseConditionsInput): Condition[] {
  const conditions = composeConditions({ ...input, applied: outcome, own: [], standing: standingIn(input) });
  return addNotice(input.notice, conditions, "True");
}

/** Adds a notice to the message of `Ready` if it has this status. A kept message already contains the notice. */
function addNotice(
  notice: string | undefined,
  conditions: readonly Condition[],
  status: ConditionStatus,
): Condition[] {
  return conditions.map((condition) =>
    notice === undefined ||
    condition.type !== "Ready" ||
    condition.status !== status ||
    condition.message.includes(notice)
      ? condition
      : { ...condition, message: `${condition.message}. ${notice}` },
  );
}

/** The state of a polled source, for the conditions. Undefined: the source has not been polled yet. */
function standingIn(input: ReleaseConditionsInput): SourceStanding | undefined {
  const { source, isSourceLost, previous } = input;
  const rest = { cause: undefined, isLost: false, isHeld: false } as const;
  if (source === undefined) {
    const statement = lastOf("Sourced", previous);
    return statement && { statement, ...rest };
  }
  const { changed, stale } = source;
  const statement = describeSource(source);
  if (stale === undefined || isSourceLost !== true) return { statement, ...rest };
  // The source is unavailable or has another commit. The deployed objects are not affected.
  const message = `${stale.message}. Commit ${shortId(changed.id)} stays deployed, and drift is corrected`;
  const cause: Statement = { type: "Sourced", status: "False", reason: stale.reason, message };
  return { statement, cause, isLost: true, isHeld: false };
}

function describeSource({ changed, stale }: SourceReport): Statement {
  const commit = `Commit ${shortId(changed.id)} by ${changed.author}: ${changed.subject}`;
  if (stale === undefined) return { type: "Sourced", status: "True", reason: "Sourced", message: commit };
  const message = `${stale.message}. Last known source: ${commit}`;
  return { type: "Sourced", status: "False", reason: stale.reason, message };
}

/** Conditions without the source. The deployed revision stays, and stays ready for a while if only the remote does not respond. */
function withoutSource({ reason, message }: SourceFailure, input: ReleaseConditionsInput): Condition[] {
  const sourced: Statement = { type: "Sourced", status: "False", reason, message };
  return addNotice(input.notice, held(sourced, input.isSourceLost === true, input), "False");
}

function stillPending(message: string, input: ReleaseConditionsInput): Condition[] {
  const sourced: Statement = { type: "Sourced", status: "Unknown", reason: "SourcePending", message };
  return held(sourced, true, input);
}

/** Conditions of a Release that cannot apply a new revision. The conditions about the objects stay. */
function held(statement: Statement, isLost: boolean, input: ReleaseConditionsInput): Condition[] {
  return composeConditions({
    ...input,
    applied: { state: "retry" },
    publish: { state: "skipped" },
    own: [],
    standing: { statement, cause: statement, isLost, isHeld: true },
  });
}

/** Conditions while the next revision is in progress for a long time. Those of the deployed revision stay. */
function longPending(message: string, input: ReleaseConditionsInput): Condition[] {
  const others = input.previous.filter(({ type }) => type !== "Reconciling" && type !== "Stalled");
  const next: Statement = { type: "Reconciling", status: "True", reason: "SourcePending", message };
  return assemble([...(others as Statement[]), next], input);
}

function suspended(input: ReleaseConditionsInput): Condition[] {
  const { previous, resource } = input;
  const sourced = lastOf("Sourced", previous);
  const { revision } = resource.status ?? {};
  const stays = revision === undefined ? "" : `; commit ${shortId(revision)} stays deployed`;
  const message =
    "Suspended: not reconciled until spec.suspend is false. This ignores " +
    `${describeRef(resource.spec)}, edits of the spec and manual changes to objects${stays}`;
  const status = lastOf("Ready", previous)?.status ?? "Unknown";
  const ready: Statement = { type: "Ready", status, reason: "Suspended", message };
  return assemble([ready, ...(sourced === undefined ? [] : [sourced]), ...kept(ready, input)], input);
}

function deleting(message: string, input: ReleaseConditionsInput): Condition[] {
  const ready: Statement = { type: "Ready", status: "False", reason: "Deleting", message };
  const sourced = lastOf("Sourced", input.previous);
  const reconciling: Statement = { ...ready, type: "Reconciling", status: "True" };
  return assemble(
    [ready, ...(sourced === undefined ? [] : [sourced]), ...kept(ready, input), reconciling],
    input,
  );
}

/** The last known conditions of the objects, or unknown ones. */
function kept(cause: Statement, { previous, health }: ReleaseConditionsInput): readonly Statement[] {
  const { applied, healthy } = keepObjects(cause, previous, health);
  const published = lastOf("Published", previous);
  return [applied, healthy, ...(published === undefined ? [] : [published])];
}

function isDeployed({ resource }: ReleaseConditionsInput): boolean {
  return resource.status?.revision !== undefined;
}

function assemble(statements: readonly Statement[], input: ReleaseConditionsInput): Condition[] {
  const before = new Map(input.previous.map((condition) => [condition.type, condition]));
  return statements.map((statement) => withTransition(statement, before, input));
}
