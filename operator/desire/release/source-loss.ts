import type { ReleaseResource } from "../../../crds/release.ts";
import type { SourceFailure } from "../../errors.ts";

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
