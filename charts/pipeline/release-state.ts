import { toMilliseconds } from "../../crds/duration.ts";
import { instantMs, type KindClock } from "../../crds/kind-context.ts";
import type { ReleaseView } from "./release-view.ts";

/** The state of a Release with respect to a target. */
export type ReleaseState =
  /** Not fully deployed, or its status does not describe its spec yet. */
  | { readonly state: "Deploying"; readonly message: string }
  /** Rejected until the Release is edited. `at`: since when. */
  | { readonly state: "Refused"; readonly message: string; readonly at: string | undefined }
  | { readonly state: "Failed"; readonly message: string; readonly at: string }
  /** `since`: when it was deployed. `unhealthySince`: when it was last healthy; undefined: not known. */
  | {
      readonly state: "Unhealthy";
      readonly message: string;
      readonly since: string;
      readonly unhealthySince: string | undefined;
    }
  /** Healthy, but not for long enough, or its status describes an earlier generation. */
  | {
      readonly state: "Soaking";
      readonly since: string;
      readonly until: string;
      readonly isDescribed: boolean;
    }
  | { readonly state: "Proven"; readonly since: string; readonly at: string };

export interface ReleaseTarget {
  readonly revision: string;
  readonly digest: string;
  readonly soak: string;
}

/** Reasons of `Ready` that only an edit resolves, unlike an unavailable remote or API server. */
const refusals: ReadonlySet<string> = new Set([
  "SpecInvalid",
  "ApplyRejected",
  "ImmutableField",
  "NotOwned",
  "KindUnknown",
  "PolicyRefused",
  "RenderFailed",
  "RenderNotReproducible",
  "DigestMismatch",
  "DependencyCycle",
]);

/** Reasons of `Ready` that concern only the repositories: the deployed objects are up to date. */
const outages: ReadonlySet<string> = new Set([
  "SourcePending",
  "SourceUnreachable",
  "SourceRefused",
  "SourceNotFound",
  "SourceInvalid",
  "SourceNotVerified",
  "Pending",
  "PushRefused",
  "RepositoryUnreachable",
  "RepositoryOwned",
  "PublishRefused",
]);

/**
 * The state of a Release with respect to a commit. Parts of its status for another generation, commit or digest do not
 * count. Pure.
 *
 * @param release Undefined: it does not exist, or names another stage.
 */
export function assessRelease(
  release: ReleaseView | undefined,
  { revision, digest, soak }: ReleaseTarget,
  clock: KindClock,
): ReleaseState {
  if (release === undefined || release.isDeleting) return { state: "Deploying", message: "does not exist" };
  const { pin, isPinOurs, deployed, conditions } = release;
  if (release.isSuspended) return { state: "Deploying", message: "is suspended" };
  if (pin !== undefined && !isPinOurs)
    return { state: "Deploying", message: "is pinned by another field manager" };
  if (pin?.revision !== revision || pin.digest !== digest)
    return { state: "Deploying", message: "is being deployed" };
  const ready = conditions.get("Ready");
  if (deployed?.digest !== digest || deployed.since === undefined) {
    if (!release.isObserved) return { state: "Deploying", message: "is being deployed" };
    const message = ready?.status === "True" ? "is being deployed" : `is not deployed: ${ready?.message}`;
    const isRefused = ready?.status === "False" && refusals.has(ready.reason);
    return isRefused
      ? { state: "Refused", message, at: ready.lastTransitionTime }
      : { state: "Deploying", message };
  }
  const { since, healthySince } = deployed;
  // A status of an earlier generation shows progress, but does not prove the target.
  const isDescribed = release.isObserved && deployed.generation === release.generation;
  const healthy = conditions.get("Healthy");
  if (isDescribed && healthy?.status === "False" && healthy.reason === "Failed")
    return {
      state: "Failed",
      message: `has failed: ${healthy.message}`,
      at: healthy.lastTransitionTime ?? since,
    };
  // A refused pin is not applied: the status has its generation, and the deployed manifests have an earlier one.
  if (release.isObserved && ready?.status === "False" && refusals.has(ready.reason))
    return { state: "Refused", message: `is refused: ${ready.message}`, at: ready.lastTransitionTime };
  if (healthy?.status !== "True" || healthySince === undefined) {
    const unhealthySince = healthy?.status === "True" ? undefined : healthy?.lastTransitionTime;
    return {
      state: "Unhealthy",
      message: `is not healthy: ${(healthy ?? ready)?.message}`,
      since,
      unhealthySince,
    };
  }
  if (ready?.status !== "True" && !outages.has(ready?.reason ?? ""))
    return { state: "Deploying", message: `is not ready: ${ready?.message}` };
  const provenAt = later(latest(since, healthySince), soak);
  // Call `reached` first: it requeues the resource at this instant.
  if (clock.reached(provenAt) && isDescribed) return { state: "Proven", since, at: provenAt };
  return { state: "Soaking", since, until: provenAt, isDescribed };
}

/** An instant some time after another one, RFC 3339. Pure. */
export function later(instant: string, duration: string): string {
  const ms = instantMs(instant) + toMilliseconds(duration);
  return new Date(ms).toISOString().replace(/\.000Z$/, "Z");
}

/** The latest of some instants. Pure. */
export function latest(first: string, ...others: readonly string[]): string {
  return others.reduce((last, one) => (instantMs(one) > instantMs(last) ? one : last), first);
}
