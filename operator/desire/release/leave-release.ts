import type { Sources } from "../../git/source/ports.ts";
import type { Renderer } from "../../render/ports.ts";
import { type FinalizeReleaseOptions, finalizeRelease } from "./finalize-release.ts";
import { describeLeaving, describeLeavingFailure } from "./leaving-text.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { NextPlans } from "./next-plans.ts";
import { type PublishPlaces, unpublishRelease } from "./publish-release.ts";
import type { Ended } from "./report-release.ts";

export interface LeaveReleaseOptions extends Omit<FinalizeReleaseOptions, "onLeft"> {
  readonly sources: Pick<Sources, "forget">;
  readonly renderer: Pick<Renderer, "forget">;
  readonly nextPlans: Pick<NextPlans, "forget">;
  /** Undefined: there is no repository. */
  readonly publishers: PublishPlaces | undefined;
}

/**
 * Does the remaining work for a Release that is being deleted.
 *
 * @returns Undefined: there is no work left, or its objects are not known yet.
 */
export async function leaveRelease(
  release: LoadedRelease,
  options: LeaveReleaseOptions,
): Promise<Ended | undefined> {
  const { undecided, who } = release;
  // The rules of the platform are unknown. Do not delete objects with the operator's permissions, which may exceed them. Delete
  // nothing if the rules will be known soon.
  if (undecided !== undefined && (undecided.state === "pending" || who === undefined))
    return { outcome: { state: "deleting", message: undecided.message } };
  const { publishers, sources, renderer, nextPlans } = options;
  nextPlans.forget(release.key);
  sources.forget(release.key);
  renderer.forget(release.key);
  const onLeft = (): void => {
    if (publishers !== undefined) unpublishRelease(release, publishers);
  };
  try {
    const leaving = await finalizeRelease(release, { ...options, onLeft });
    if (leaving === undefined) return undefined;
    const { againAfterMs } = leaving;
    return {
      outcome: { state: "deleting", message: describeLeaving(leaving) },
      ...(againAfterMs !== undefined && { retryAfterMs: againAfterMs }),
    };
  } catch (error) {
    const message = describeLeavingFailure(error, who);
    if (message === undefined) throw error;
    return { outcome: { state: "deleting", message }, error };
  }
}
