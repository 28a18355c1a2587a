import type { Condition } from "../../crds/conditions.ts";

/** A shorter outage of a remote does not change `Ready`. */
export const sourceGraceMs = 5 * 60_000;

export interface GraceInput {
  readonly failure: { readonly reason: string };
  /** The conditions in the status. `Sourced` contains since when the source is unavailable, so a restart does not lose it. */
  readonly conditions: readonly Condition[] | undefined;
  readonly nowMs: number;
}

/**
 * For how many milliseconds a failure of the source does not change `Ready` yet; 0: the resource is not ready now. Only an
 * unresponsive remote has a grace period. If the remote responds, the source in the spec does not exist. Pure.
 */
export function graceLeftMs({ failure, conditions, nowMs }: GraceInput): number {
  if (failure.reason !== "SourceUnreachable") return 0;
  const sourced = conditions?.find(({ type }) => type === "Sourced");
  const sinceMs = sourced?.status === "False" ? Date.parse(sourced.lastTransitionTime) : nowMs;
  // A clock that is set back must not extend the period.
  return Math.max(0, Math.min(sourceGraceMs, sinceMs + sourceGraceMs - nowMs));
}
