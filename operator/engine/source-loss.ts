import type { Condition } from "../../crds/conditions.ts";
import { remainingMs } from "./health/health-fields.ts";

/** A shorter outage of a remote does not change `Ready`. */
export const sourceGraceMs = 5 * 60_000;

export interface SourceLossInput {
  readonly failure: { readonly reason: string };
  /** Whether no commit can be used. Then a resource that is not ready cannot become ready. */
  readonly isUnusable: boolean;
  /** Whether the deployed commit is known to be the one in the spec. Then an available source would change nothing. Default: no. */
  readonly isPinned?: boolean;
  /** The conditions in the status. `Sourced` contains since when the source is unavailable, so a restart does not lose it. */
  readonly previous: readonly Condition[];
  readonly generation: number | undefined;
  readonly nowMs: number;
}

/** The effect of an unavailable source on a resource. */
export interface SourceLoss {
  /** Whether the resource is not ready now. */
  readonly isLost: boolean;
  /** How much longer the failure does not change `Ready`, in milliseconds. */
  readonly graceLeftMs: number;
}

/**
 * Decides whether a failure of the source makes a resource not ready. Only an unresponsive remote has a grace period: if the
 * remote responds, the source in the spec does not exist. Pure.
 */
export function assessLoss(input: SourceLossInput): SourceLoss {
  const { isUnusable, isPinned = false, previous, generation } = input;
  const ready = previous.find(({ type }) => type === "Ready");
  const isReady = ready?.status === "True" && ready.observedGeneration === generation;
  const graceLeftMs = isPinned ? 0 : leftMs(input);
  return { isLost: (isUnusable && !isReady) || (!isPinned && graceLeftMs === 0), graceLeftMs };
}

function leftMs({ failure, previous, nowMs }: SourceLossInput): number {
  if (failure.reason !== "SourceUnreachable") return 0;
  const sourced = previous.find(({ type }) => type === "Sourced");
  if (sourced?.status !== "False") return sourceGraceMs;
  return remainingMs(sourced.lastTransitionTime, sourceGraceMs, nowMs);
}
