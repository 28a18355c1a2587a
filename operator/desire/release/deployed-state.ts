import type { Condition } from "../../../crds/conditions.ts";
import type { ReleaseHistoryEntry } from "../../../crds/release.ts";
import type { DeployedRevision } from "./deployed-revision.ts";
import { latestOf, type SeenHealth } from "./health-times.ts";

export interface DeployedStateInput {
  /** The value in the status. */
  readonly previous: DeployedRevision | undefined;
  /** Folder and commit after this run; undefined: nothing is deployed. */
  readonly deployed: Pick<DeployedRevision, "revision" | "tree"> | undefined;
  /** The history after this run, newest first. */
  readonly history: readonly ReleaseHistoryEntry[] | undefined;
  /** Digest of the manifests that are fully applied in this run; undefined: none. */
  readonly appliedDigest: string | undefined;
  readonly generation: number | undefined;
  /** The conditions after this run. */
  readonly conditions: readonly Condition[];
  /** Undefined: the objects were not assessed. */
  readonly seen: SeenHealth | undefined;
}

/**
 * Composes `status.deployed` after a run. Without a change, the result equals the previous value. If an earlier version of
 * the operator deployed the manifests, their digest is taken from the history. Pure.
 */
export function composeDeployed(input: DeployedStateInput): DeployedRevision | undefined {
  const { previous, deployed, history, appliedDigest, generation } = input;
  if (deployed === undefined) return undefined;
  const { revision, tree } = deployed;
  const [newest] = history ?? [];
  const digest = appliedDigest ?? previous?.digest ?? newest?.digest;
  if (digest === undefined) return { revision, tree };
  const isSame = previous?.digest === digest;
  const since =
    (isSame ? previous?.since : undefined) ?? (newest?.digest === digest ? newest.deployedAt : undefined);
  const atGeneration = appliedDigest === undefined ? previous?.generation : generation;
  const healthySince = healthySinceOf(input, { digest, since });
  return {
    revision,
    tree,
    digest,
    ...(atGeneration !== undefined && { generation: atGeneration }),
    ...(since !== undefined && { since }),
    ...(healthySince !== undefined && { healthySince }),
  };
}

/** The latest of all known times at which the objects became healthy, so that no unobserved time counts as healthy. */
function healthySinceOf(
  { previous, conditions, seen }: DeployedStateInput,
  { digest, since }: { readonly digest: string; readonly since: string | undefined },
): string | undefined {
  const healthy = conditions.find(({ type }) => type === "Healthy");
  if (healthy?.status !== "True") return undefined;
  const before = previous?.digest === digest ? previous.healthySince : undefined;
  if (seen === undefined) return before;
  if (seen.digest !== digest || !seen.isHealthy) return undefined;
  return latestOf([since, before ?? healthy.lastTransitionTime, seen.turnedAt]);
}
