import { inventoryOf } from "../../engine/inventory.ts";
import { soonest } from "../../engine/requeue.ts";
import { ApiUnavailableError } from "../../errors.ts";
import type { Cluster, ObjectStore } from "../../ports.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { NextPlans } from "./next-plans.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import type { Ended } from "./report-release.ts";

export interface ReadNextOptions {
  readonly nextPlans: Pick<NextPlans, "read" | "forget">;
  readonly releases: ObjectStore;
  /** Uses the permissions of the Release. */
  readonly acting: Cluster;
}

/** Delay before reading a Secret again that could not be read. */
const unreadMs = 10_000;

/**
 * Adds the state of a plan to the result of a run, without waiting for the plan. The planned commit is that of `spec.next`;
 * without it, the pinned commit if its manifests do not have the digest in the spec.
 */
export async function withNext(
  release: LoadedRelease,
  ended: Ended,
  options: ReadNextOptions,
): Promise<Ended> {
  const { nextPlans } = options;
  const { key, resource, invalid } = release;
  const { outcome, desired } = ended;
  const revision = invalid === undefined ? revisionToPlan(resource.spec, outcome) : undefined;
  // Do not change the plan in the status.
  const isLeftAlone =
    outcome.state === "suspended" ||
    outcome.state === "deleting" ||
    invalid !== undefined ||
    (revision === undefined && mayMismatch(release, outcome));
  const refusal = desired === undefined ? refusalOf(outcome) : undefined;
  if (isLeftAlone || revision === undefined || refusal !== undefined) {
    nextPlans.forget(key);
    if (isLeftAlone) return ended;
    if (revision !== undefined) return { ...ended, next: { plan: { revision, error: refusal } } };
    return resource.status?.next === undefined ? ended : { ...ended, next: { plan: undefined } };
  }
  // Fetch and render the source of the deployed commit first.
  if (outcome.state === "pending") return ended;
  try {
    const deployedDigest = deployedDigestOf(release, ended);
    const { acting } = options;
    const current = withCurrentInventory(release, ended, options);
    const { plan, againAfterMs } = await nextPlans.read({
      release: current,
      revision,
      deployedDigest,
      acting,
    });
    return {
      ...again(ended, againAfterMs),
      ...(plan === undefined ? { isPlanning: true } : { next: { plan } }),
    };
  } catch (error) {
    if (!(error instanceof ApiUnavailableError)) throw error;
    return again(ended, unreadMs);
  }
}

/** The commit to plan. Pure. */
function revisionToPlan(
  { revision, next }: LoadedRelease["resource"]["spec"],
  outcome: ReleaseOutcome,
): string | undefined {
  const isMismatch = outcome.state === "refused" && outcome.reason === "DigestMismatch";
  return next?.revision ?? (isMismatch ? revision : undefined);
}

/** Whether the digest of the pin has not been compared in this run, so that its plan may still be needed. Pure. */
function mayMismatch({ resource: { spec, status } }: LoadedRelease, { state }: ReleaseOutcome): boolean {
  const isCompared = state === "applied" || state === "refused";
  return !isCompared && spec.digest !== undefined && status?.next?.revision === spec.revision;
}

/** Why the source of the Release is not fetched or rendered. Pure. */
function refusalOf(outcome: ReleaseOutcome): string | undefined {
  if (outcome.state !== "refused") return undefined;
  const { reason, message } = outcome;
  return reason === "SpecInvalid" || reason === "PolicyRefused" ? message : undefined;
}

/** Digest of the manifests that are deployed after this run. Pure. */
function deployedDigestOf({ resource }: LoadedRelease, { outcome, desired }: Ended): string | undefined {
  if (outcome.state === "applied" && desired !== undefined) return desired.prepared.digest;
  const { deployed, history } = resource.status ?? {};
  return deployed?.digest ?? history?.[0]?.digest;
}

/** The Release with the inventory that this run will report. */
function withCurrentInventory(
  release: LoadedRelease,
  { converged }: Ended,
  { releases }: ReadNextOptions,
): LoadedRelease {
  const { resource } = release;
  const live = releases.get(release.key) ?? resource;
  const status = { ...resource.status, ...(live["status"] as typeof resource.status) };
  const inventory = converged?.inventory ?? inventoryOf(live);
  const withInventory = { ...status, ...(inventory && { inventory }) } as typeof resource.status;
  return { ...release, resource: { ...resource, ...(withInventory && { status: withInventory }) } };
}

function again(ended: Ended, afterMs: number | undefined): Ended {
  const retryAfterMs = soonest(afterMs, ended.retryAfterMs);
  return retryAfterMs === undefined ? ended : { ...ended, retryAfterMs };
}
