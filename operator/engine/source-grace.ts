import type { Condition } from "../../crds/conditions.ts";

/** An outage of a remote that is over sooner leaves `Ready` true. */
export const sourceGraceMs = 5 * 60_000;

export interface GraceInput {
  readonly failure: { readonly reason: string };
  /** As the status has them: `Sourced` says since when the source is unavailable, also across restarts. */
  readonly conditions: readonly Condition[] | undefined;
  readonly nowMs: number;
}

/**
 * For how many milliseconds a failure of the source leaves `Ready` as it is; 0: it makes the resource not ready now.
 * Only an unresponsive remote has a grace period: a response shows that the source in the spec does not exist. Pure.
 */
export function graceLeftMs({ failure, conditions, nowMs }: GraceInput): number {
  if (failure.reason !== "SourceUnreachable") return 0;
  const sourced = conditions?.find(({ type }) => type === "Sourced");
  const sinceMs = sourced?.status === "False" ? Date.parse(sourced.lastTransitionTime) : nowMs;
  // A clock that was set back must not make it last longer.
  return Math.max(0, Math.min(sourceGraceMs, sinceMs + sourceGraceMs - nowMs));
}
