import { type ConvergeReleaseOptions, convergeRelease } from "./converge-release.ts";
import type { LoadedRelease } from "./load-release.ts";
import { checkManifests } from "./manifest-refusal.ts";
import { publishRelease } from "./publish-release.ts";
import { type Desired, type Remembered, withMemory } from "./release-memory.ts";
import type { ReportReleaseOptions } from "./report-release.ts";

export type KeepDeployedOptions = ConvergeReleaseOptions & Pick<ReportReleaseOptions, "publishers">;

export interface KeptObjects {
  /** Whether all objects are applied. */
  readonly isKept: boolean;
  /** Delay before the next attempt after a failure, which no condition contains. */
  readonly retryAfterMs?: number;
  readonly memory: Remembered;
}

/** Delay before another attempt to revert a manual change, in milliseconds. */
const keepAgainMs = 15_000;

/**
 * Reverts manual changes of the deployed objects, in the cluster and on the branch, while nothing newer may be applied. The
 * conditions report why that is so, and not a failure of this work: it is repeated.
 */
export async function keepDeployed(
  loaded: LoadedRelease,
  last: Desired,
  parts: KeepDeployedOptions,
): Promise<KeptObjects> {
  const checked = checkManifests(loaded, last);
  const release = withMemory(loaded, { checked });
  if (checked.message !== undefined) return { isKept: false, memory: release.memory };
  const { outcome, objects } = await convergeRelease(release, last, parts);
  const { memory } = withMemory(release, { objects });
  if (outcome.state !== "applied") return { isKept: false, retryAfterMs: keepAgainMs, memory };
  if (parts.publishers === undefined) return { isKept: true, memory };
  const { target } = publishRelease(release, last, parts.publishers);
  return { isKept: true, memory: withMemory({ memory }, { target }).memory };
}
