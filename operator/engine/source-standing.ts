import type { Condition } from "../../crds/conditions.ts";
import type { KindSource, SourceProblem } from "../../crds/kind-source.ts";
import type { Statement } from "./conditions.ts";
import { assessLoss, type SourceLoss } from "./source-loss.ts";

/** The state of a resource's source, for its conditions. */
export interface SourceStanding {
  /** The condition `Sourced`. */
  readonly statement: Statement;
  /** Why the resource is not ready or in progress because of its source. Undefined: the source is available. */
  readonly cause: Statement | undefined;
  /** Whether the source makes the resource unready. */
  readonly isLost: boolean;
  /** Whether no objects were applied or assessed because of the source. Then the conditions about them stay. */
  readonly isHeld: boolean;
}

/** The state of the source of a resource of a kind. */
export interface KindSourceStanding extends SourceStanding, SourceLoss {}

export interface SourceStandingInput {
  readonly source: KindSource;
  readonly isHeld: boolean;
  /** Whether the kind has assessed the resource itself. Then its source does not make it unready. */
  readonly isJudged: boolean;
  readonly previous: readonly Condition[];
  readonly generation: number | undefined;
  readonly nowMs: number;
}

export const SOURCE_PENDING = "Waiting for its source to be fetched";

/** Determines the source conditions of a resource of a kind. Pure. */
export function standingOf(input: SourceStandingInput): KindSourceStanding {
  const { source, isHeld, isJudged, previous, generation, nowMs } = input;
  const lastOf = (type: Statement["type"]) =>
    previous.find((one) => one.type === type && one.observedGeneration === generation) as
      | Statement
      | undefined;
  if (source.state === "pending") {
    const cause = statement("Unknown", "SourcePending", SOURCE_PENDING);
    const isLost = !isJudged && lastOf("Ready") === undefined;
    // After a start of the operator the source is known soon. Keep the previous statement until then.
    return { statement: lastOf("Sourced") ?? cause, cause, isLost, isHeld, graceLeftMs: 0 };
  }
  const problem = source.state === "failed" ? source : source.stale;
  if (problem === undefined) {
    // Do not name the commit, so that a push without a change for the resource does not change its status.
    const available = statement("True", "Sourced", "The source is available");
    return { statement: available, cause: undefined, isLost: false, isHeld, graceLeftMs: 0 };
  }
  const isUnusable = source.state === "failed";
  const { isLost, graceLeftMs } = assessLoss({ failure: problem, isUnusable, previous, generation, nowMs });
  const cause = statement("False", problem.reason, messageOf(problem, source));
  return { statement: cause, cause, isLost: !isJudged && isLost, isHeld, graceLeftMs };
}

const passing: ReadonlySet<string> = new Set(["SourcePending", "SourceUnreachable", "RenderQuota"]);

/** The condition of a resource whose source is pending or unavailable: `Stalled` if an edit or a push is required. */
export function describeLost(cause: Statement): Statement {
  return { ...cause, type: passing.has(cause.reason) ? "Reconciling" : "Stalled", status: "True" };
}

function statement(status: Statement["status"], reason: Statement["reason"], message: string): Statement {
  return { type: "Sourced", status, reason, message };
}

function messageOf({ message }: SourceProblem, { state }: KindSource): string {
  return state === "ready" ? `${message}. The last known commit stays in use` : message;
}
