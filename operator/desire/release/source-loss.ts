import type { Condition } from "../../../crds/conditions.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import type { SourceFailure } from "../../errors.ts";

/** An outage of a remote that is over sooner leaves `Ready` true. */
export const sourceGraceMs = 5 * 60_000;

export interface GraceInput {
  readonly failure: SourceFailure;
  /** As they stand in the status: `Sourced` says since when the source cannot be had, also across restarts. */
  readonly conditions: readonly Condition[] | undefined;
  readonly nowMs: number;
}

/**
 * For how many milliseconds a failure of the source leaves `Ready` as it is; 0: it makes the Release unready now. Only a
 * remote that does not answer is given time: an answer says that what the Release names cannot be had. Pure.
 */
export function graceLeftMs({ failure, conditions, nowMs }: GraceInput): number {
  if (failure.reason !== "SourceUnreachable") return 0;
  const sourced = conditions?.find(({ type }) => type === "Sourced");
  const sinceMs = sourced?.status === "False" ? Date.parse(sourced.lastTransitionTime) : nowMs;
  // A clock that was set back must not make it last longer.
  return Math.max(0, Math.min(sourceGraceMs, sinceMs + sourceGraceMs - nowMs));
}

/**
 * Whether what is deployed is what the spec names, whatever the remote says: a commit never changes, and a tag that is
 * deployed counts until the remote answers that there is none. Pure.
 *
 * @param head The commit that is deployed, or that the source names; undefined: none.
 */
export function isPinnedTo(
  head: string | undefined,
  { spec, status }: Pick<ReleaseResource, "spec" | "status">,
  { reason }: Pick<SourceFailure, "reason">,
): boolean {
  if (head === undefined || status?.revision === undefined || status.attempted !== status.revision)
    return false;
  const isAway = reason === "SourceUnreachable" || reason === "SourceRefused";
  const { ref } = spec.source;
  const commit = spec.revision ?? ref?.commit;
  if (commit !== undefined) return commit === head && (isAway || reason === "SourceNotFound");
  return ref?.tag !== undefined && isAway;
}
