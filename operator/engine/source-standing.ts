import type { Condition } from "../../crds/conditions.ts";
import type { KindSource, SourceProblem } from "../../crds/kind-source.ts";
import type { Statement } from "./conditions.ts";
import { graceLeftMs } from "./source-grace.ts";

/** The statements of a resource's conditions about its source. */
export interface SourceStanding {
  /** The condition `Sourced`. */
  readonly statement: Statement;
  /** Why the resource is not ready, or still on its way, if that is because of the source. Undefined: it is available. */
  readonly cause: Statement | undefined;
  /** It makes the resource unready. */
  readonly isLost: boolean;
  /** Nothing was created or assessed because of it: the state of the objects stays. */
  readonly isHeld: boolean;
}

/** The standing of the source of a kind's resource. */
export interface KindSourceStanding extends SourceStanding {
  /** How much longer a remote that does not respond leaves `Ready` as it is, in milliseconds; 0: not at all. */
  readonly graceLeftMs: number;
}

export interface SourceStandingInput {
  readonly source: KindSource;
  readonly isHeld: boolean;
  /** The kind has judged the resource itself: its source makes nothing unready. */
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
    // After a start it is known in a moment: the previous statement stays.
    return { statement: lastOf("Sourced") ?? cause, cause, isLost, isHeld, graceLeftMs: 0 };
  }
  const problem = source.state === "failed" ? source : source.stale;
  if (problem === undefined) {
    // Does not name the commit: a push that changes nothing for the resource changes no status.
    const available = statement("True", "Sourced", "The source is available");
    return { statement: available, cause: undefined, isLost: false, isHeld, graceLeftMs: 0 };
  }
  const leftMs = graceLeftMs({ failure: problem, conditions: previous, nowMs });
  const isNew = source.state === "failed" && lastOf("Ready")?.status !== "True";
  const cause = statement("False", problem.reason, messageOf(problem, source));
  return {
    statement: cause,
    cause,
    isLost: !isJudged && (leftMs === 0 || isNew),
    isHeld,
    graceLeftMs: leftMs,
  };
}

const passing: ReadonlySet<string> = new Set(["SourcePending", "SourceUnreachable", "RenderQuota"]);

/** The condition of a resource whose source is pending or unavailable: `Stalled` if only an edit or a push helps. */
export function describeLost(cause: Statement): Statement {
  return { ...cause, type: passing.has(cause.reason) ? "Reconciling" : "Stalled", status: "True" };
}

function statement(status: Statement["status"], reason: Statement["reason"], message: string): Statement {
  return { type: "Sourced", status, reason, message };
}

function messageOf({ message }: SourceProblem, { state }: KindSource): string {
  return state === "ready" ? `${message}. The last known commit stays in use` : message;
}
