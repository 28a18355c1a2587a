import type { Condition } from "../../../crds/conditions.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import { graceLeftMs } from "../../engine/source-grace.ts";
import type { SourceFailure } from "../../errors.ts";
import { pinOf } from "./pipeline-pin.ts";
import type { ReleaseOutcome, SourceReport } from "./release-outcome.ts";

/**
 * Whether the deployed commit is known to be the one in the spec without a poll: a commit id never changes, and a deployed tag
 * is assumed to be unchanged until the remote reports that it does not exist. Pure.
 *
 * @param head The deployed commit, or that of the source; undefined: none.
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
  const commit = pinOf({ spec, status }) ?? ref?.commit;
  if (commit !== undefined) return commit === head && (isAway || reason === "SourceNotFound");
  return ref?.tag !== undefined && isAway;
}

/**
 * Whether an unavailable source makes the Release not ready now, and when to check again; undefined: the source is available.
 * Pure.
 */
export function assessLoss(
  resource: Pick<ReleaseResource, "spec" | "status">,
  { outcome, source }: { readonly outcome: ReleaseOutcome; readonly source?: SourceReport },
  nowMs: number,
): { readonly isLost: boolean; readonly againAfterMs?: number } | undefined {
  const failure = outcome.state === "unsourced" ? outcome.failure : source?.stale;
  if (failure === undefined) return undefined;
  const { status } = resource;
  const head = source?.head.id ?? status?.observedHead;
  if (isPinnedTo(head, resource, failure)) return { isLost: false };
  const conditions = status?.conditions as readonly Condition[] | undefined;
  const leftMs = graceLeftMs({ failure, conditions, nowMs });
  return leftMs === 0 ? { isLost: true } : { isLost: false, againAfterMs: leftMs };
}
