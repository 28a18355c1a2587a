import { releaseAnnotations } from "../../../crds/release.ts";
import { withoutAccount } from "../../cluster/found-kinds/account-required.ts";
import type { ReconcileOptions } from "../../ports.ts";
import type { ReconcileSteps } from "../../reconcile.ts";
import { describeForeignTool, foreignToolOf } from "./apply-set.ts";
import { type ConvergeReleaseOptions, convergeRelease } from "./converge-release.ts";
import {
  type DependencyOptions,
  describeNotice,
  describeUnmet,
  findWait,
  isCurrentFor,
  isDeployed,
  noteSource,
  readDependencies,
} from "./dependencies.ts";
import { finalizeRelease } from "./finalize-release.ts";
import { describeLeaving, describeLeavingFailure } from "./leaving-text.ts";
import type { Platform } from "./limits.ts";
import { type LoadedRelease, loadRelease } from "./load-release.ts";
import { findManifestRefusal } from "./manifest-refusal.ts";
import { findPolicyRefusal } from "./policy-refusal.ts";
import { publishRelease, unpublishRelease } from "./publish-release.ts";
import type { Desired, ReleaseMemory } from "./release-memory.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import { type Ended, type ReportReleaseOptions, reportRelease, reportSource } from "./report-release.ts";
import { readSource, type Sourced, type SourceOptions } from "./source-release.ts";

export type ReleaseParts = Omit<ConvergeReleaseOptions, "acting" | "nowMs"> &
  SourceOptions &
  Omit<DependencyOptions, "isCurrent"> &
  Omit<ReportReleaseOptions, "log"> &
  OwnParts;

interface OwnParts {
  readonly memory: ReleaseMemory;
  readonly platform: Platform;
  /** Releases that name no ServiceAccount are refused, and nothing is deleted for them. */
  readonly requiresServiceAccount: boolean;
  /** A write was refused because the namespace is going away. */
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** What one run works with: {@link ReleaseParts}, bound to its signal and to whom it acts for. */
type Parts = ReleaseParts & ConvergeReleaseOptions & Pick<ReportReleaseOptions, "log">;

/** The steps of the loop for Releases: the source is fetched and rendered before anything is converged. */
export function releaseSteps(
  shared: ReleaseParts,
): (run: ReconcileOptions) => ReconcileSteps<LoadedRelease, Ended> {
  return ({ log, signal }) => {
    const cluster = shared.cluster.until(signal);
    const nowMs = shared.clock.wallClock().getTime();
    const partsFor = (release: LoadedRelease): Parts => {
      const acting = lacksAccount(release, shared) ? withoutAccount() : cluster.as(release.who);
      return { ...shared, cluster, acting, nowMs, log };
    };
    return {
      load: (key) => {
        const release = loadRelease(key, shared);
        if (release === undefined) return undefined;
        const { namespace = "", deletionTimestamp } = release.resource.metadata;
        if (deletionTimestamp === undefined && shared.stores.isTerminating(namespace)) return undefined;
        // The watch of namespaces requeues it.
        return release.undecided?.state === "pending" ? undefined : release;
      },
      isLeaving: ({ resource }) => resource.metadata.deletionTimestamp !== undefined,
      finalize: (release) => leave(release, partsFor(release)),
      converge: (release) => deploy(release, partsFor(release)),
      report: (release, ended) => reportRelease(release, ended, partsFor(release)),
      onNamespaceTerminating: shared.onNamespaceTerminating,
    };
  };
}

/** Undefined: it may go, or it is not known yet what it has. */
async function leave(release: LoadedRelease, parts: Parts): Promise<Ended | undefined> {
  // Its objects are not deleted with more rights than the platform may have chosen.
  if (release.undecided?.state === "undecidable" && release.who === undefined)
    return { outcome: { state: "deleting", message: release.undecided.message } };
  const { publishers, sources, renderer } = parts;
  sources.forget(release.key);
  renderer.forget(release.key);
  const onLeft = (): void => {
    if (publishers !== undefined) unpublishRelease(release, publishers);
  };
  try {
    const leaving = await finalizeRelease(release, {
      ...parts,
      onLeft,
      mayDelete: !lacksAccount(release, parts),
    });
    if (leaving === undefined) return undefined;
    const { againAfterMs } = leaving;
    return {
      outcome: { state: "deleting", message: describeLeaving(leaving) },
      ...(againAfterMs !== undefined && { retryAfterMs: againAfterMs }),
    };
  } catch (error) {
    const message = describeLeavingFailure(error, release.who);
    if (message === undefined) throw error;
    return { outcome: { state: "deleting", message }, error };
  }
}

async function deploy(release: LoadedRelease, parts: Parts): Promise<Ended> {
  const { key, resource, memory } = release;
  const refusal = findRefusal(release, parts) ?? refuseByPolicy(release, parts);
  if (refusal !== undefined) return { outcome: refusal };
  if (resource.spec.suspend) {
    parts.sources.forget(key);
    return { outcome: { state: "suspended" } };
  }
  const sourced = await readSource(release, parts);
  const report = reportSource(sourced);
  noteSource(release, sourced, parts);
  const { desired, retryAfterMs } = sourced;
  const more = { ...(report && { source: report }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const dependencies = readDependencies(release, parts);
  if (desired === undefined) {
    // What was deployed is still kept as it was, until something newer can be had.
    const last = memory.applied?.generation === resource.metadata.generation ? memory.applied : undefined;
    const isKept = last !== undefined && (await keep(release, last, parts));
    const unmet = sourced.failure === undefined ? describeUnmet(release, dependencies) : undefined;
    return { outcome: unmet ?? describeMissing(sourced, release), ...(isKept && { kept: last }), ...more };
  }
  const { cycle } = dependencies;
  const wait =
    refuseManifests(release, desired) ??
    findUnseen(desired, parts) ??
    cycle ??
    findWait(release, desired, { ...parts, isCurrent: isCurrentFor(parts) });
  if (wait !== undefined && wait === cycle && isDeployed(resource, desired))
    await keep(release, desired, parts);
  if (wait !== undefined) return { outcome: wait, desired, ...more };
  const converged = await convergeRelease(release, desired, parts);
  const notice = describeNotice(dependencies);
  return { outcome: converged.outcome, desired, converged, error: converged.error, notice, ...more };
}

/** Puts back what was done by hand to what is deployed, in the cluster and on the branch. @returns Whether all is applied. */
async function keep(release: LoadedRelease, last: Desired, parts: Parts): Promise<boolean> {
  if (refuseManifests(release, last) !== undefined) return false;
  const { outcome } = await convergeRelease(release, last, parts);
  if (outcome.state !== "applied") return false;
  if (parts.publishers !== undefined) publishRelease(release, last, parts.publishers);
  return true;
}

/** Whether a Release names no ServiceAccount although one is required: then no request is sent for its objects. */
function lacksAccount({ who }: LoadedRelease, { requiresServiceAccount }: OwnParts): boolean {
  return requiresServiceAccount && who === undefined;
}

/** Why nothing may be done for a Release until somebody edits something. */
function findRefusal(release: LoadedRelease, parts: Parts): ReleaseOutcome | undefined {
  const { resource, invalid } = release;
  const { checks } = parts;
  const tool = foreignToolOf(resource);
  const message =
    invalid ??
    (lacksAccount(release, parts)
      ? "This operator only deploys Releases that name a ServiceAccount: set spec.target.serviceAccountName"
      : undefined) ??
    (tool === undefined ? undefined : describeForeignTool(tool)) ??
    checks.problemOf(resource.spec.healthChecks);
  return message === undefined ? undefined : { state: "refused", reason: "SpecInvalid", message };
}

/** Nothing is fetched, rendered or applied for a Release that the platform does not allow; what is deployed stays as it is. */
function refuseByPolicy(
  { key, resource, limits, undecided, memory }: LoadedRelease,
  { sources, renderer, platform }: Parts,
): ReleaseOutcome | undefined {
  const older = (): number => platform.olderThan(resource);
  const { allowsLocal } = platform;
  const message =
    undecided?.state === "undecidable"
      ? undecided.message
      : findPolicyRefusal({ spec: resource.spec, limits, allowsLocal, older });
  if (message === undefined) return undefined;
  sources.forget(key);
  renderer.forget(key);
  // Releases that depend on this one ask its source as it did last.
  delete memory.request;
  return { state: "refused", reason: "PolicyRefused", message };
}

function refuseManifests(
  { limits, who, memory }: LoadedRelease,
  { prepared }: Desired,
): ReleaseOutcome | undefined {
  const actsAsOperator = who === undefined;
  const { checked } = memory;
  const isCurrent =
    checked?.prepared === prepared && checked.limits === limits && checked.actsAsOperator === actsAsOperator;
  const message = isCurrent ? checked.message : findManifestRefusal({ prepared, limits, actsAsOperator });
  if (!isCurrent) memory.checked = { prepared, limits, actsAsOperator, message };
  return message === undefined ? undefined : { state: "refused", reason: "PolicyRefused", message };
}

/** Where this operator does not look, it would not know what it has made. */
function findUnseen({ prepared }: Desired, { stores }: Parts): ReleaseOutcome | undefined {
  const unseen = prepared.objects.find(({ manifest }) => !stores.sees(manifest.metadata.namespace));
  if (unseen === undefined) return undefined;
  const { kind, metadata } = unseen.manifest;
  const message =
    `${kind} ${metadata.namespace}/${metadata.name} (${unseen.origin}) is outside of the namespaces that this operator ` +
    "looks at: run it with --namespace for that one too";
  return { state: "refused", reason: "KindNotWatched", message };
}

function describeMissing({ failure, source }: Sourced, { resource }: LoadedRelease): ReleaseOutcome {
  if (failure !== undefined) {
    // A Release that cannot even ask for its source, as for want of a Secret, is answered by that.
    const asked = resource.metadata.annotations?.[releaseAnnotations.requestedAt];
    const handledRequest = source.state === "pending" ? asked : source.handledRequest;
    return { state: "unsourced", failure, handledRequest };
  }
  return { state: "pending", message: "Waiting for its source to be fetched and rendered" };
}
