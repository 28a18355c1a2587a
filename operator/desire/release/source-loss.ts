import type { Condition } from "../../../crds/conditions.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import { assessLoss, type SourceLoss } from "../../engine/source-loss.ts";
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

/** The effect of an unavailable source on a Release; undefined: the source is available. Pure. */
export function assessReleaseLoss(
  resource: ReleaseResource,
  { outcome, source }: { readonly outcome: ReleaseOutcome; readonly source?: SourceReport | undefined },
  nowMs: number,
): SourceLoss | undefined {
  const isUnusable = outcome.state === "unsourced";
  const failure = isUnusable ? outcome.failure : source?.stale;
  if (failure === undefined) return undefined;
  const { metadata, status } = resource;
  const isPinned = isPinnedTo(source?.head.id ?? status?.observedHead, resource, failure);
  const previous = (status?.conditions ?? []) as readonly Condition[];
  return assessLoss({ failure, isUnusable, isPinned, previous, generation: metadata.generation, nowMs });
}
