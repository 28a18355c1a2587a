import { releaseAnnotations } from "../../../crds/release.ts";
import { announceChanges } from "../../engine/announce.ts";
import { type ReportOptions, report } from "../../engine/report.ts";
import { soonest } from "../../engine/requeue.ts";
import type { SourceAnswers } from "../../git/source/ports.ts";
import type { ReconcileOptions } from "../../ports.ts";
import type { ReconcileSteps } from "../../reconcile.ts";
import { withoutAccount } from "./account-required.ts";
import { describeForeignTool, foreignToolOf } from "./apply-set.ts";
import { type ConvergeReleaseOptions, convergeRelease } from "./converge-release.ts";
import {
  type DependencyOptions,
  describeNotice,
  describeUnmet,
  findWait,
  isCurrentFor,
  isDeployed,
  isNewsForDependents,
  readDependencies,
} from "./dependencies.ts";
import { findDigestMismatch } from "./digest-mismatch.ts";
import { type KeptObjects, keepDeployed } from "./keep-deployed.ts";
import { leaveRelease } from "./leave-release.ts";
import type { Platform } from "./limits.ts";
import { type LoadedRelease, loadRelease } from "./load-release.ts";
import { checkManifests } from "./manifest-refusal.ts";
import { type ReadNextOptions, withNext } from "./next-release.ts";
import { findPinWait } from "./pipeline-pin.ts";
import { findPolicyRefusal } from "./policy-refusal.ts";
import { placeInSpec } from "./publish-place.ts";
import {
  type CheckedManifests,
  type Desired,
  type ReleaseMemory,
  type Remembered,
  withMemory,
} from "./release-memory.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import { type Ended, judgeRelease, type ReportReleaseOptions } from "./report-release.ts";
import { readSource, remoteOf, reportSource, type Sourced, type SourceOptions } from "./source-release.ts";
import { findUnseen } from "./unseen-objects.ts";

export type ReleaseParts = Omit<ConvergeReleaseOptions, "acting" | "nowMs"> &
  SourceOptions &
  Omit<DependencyOptions, "isCurrent"> &
  Omit<ReportReleaseOptions, "log"> &
  Pick<ReadNextOptions, "nextPlans"> &
  OwnParts;

interface OwnParts {
  /** The memory about other Releases. */
  readonly memory: Pick<ReleaseMemory, "find">;
  readonly sources: SourceAnswers;
  readonly platform: Platform;
  /** Whether Releases without a ServiceAccount are rejected. Then no object is deleted for them. */
  readonly requiresServiceAccount: boolean;
  /** Removes everything that is kept for a Release. Called when it does not exist. */
  readonly forget: (key: string) => void;
  /** Called after a write was rejected because the namespace is terminating. */
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** The parts of one run: {@link ReleaseParts}, bound to its signal and to its account. */
type Parts = ReleaseParts & ConvergeReleaseOptions & Pick<ReportReleaseOptions, "log">;

/** The steps of the reconcile loop for Releases. The source is fetched and rendered before objects are converged. */
export function releaseSteps(
  shared: ReleaseParts,
): (run: ReconcileOptions) => ReconcileSteps<LoadedRelease, Ended, Remembered> {
  return ({ log, signal }) => {
    const cluster = shared.cluster.until(signal);
    const nowMs = shared.clock.wallClock().getTime();
    const partsFor = (release: LoadedRelease): Parts => {
      const acting = lacksAccount(release, shared) ? withoutAccount() : cluster.as(release.who);
      return { ...shared, cluster, acting, nowMs, log };
    };
    const reporting = { ...shared, ...announced, cluster, log, resources: shared.releases };
    return {
      load: (key, remembered) => {
        const { releases, platform } = shared;
        const release = loadRelease(key, { releases, platform, remembered });
        const { namespace = "", deletionTimestamp } = release?.resource.metadata ?? {};
        const isLost = deletionTimestamp === undefined && shared.stores.isTerminating(namespace);
        if (release !== undefined && !isLost) return release;
        // A run that was in progress during the deletion may have requested its source, which would be polled forever.
        if (release === undefined) shared.forget(key);
        else shared.pending.forget(key);
        return undefined;
      },
      isLeaving: ({ resource }) => resource.metadata.deletionTimestamp !== undefined,
      finalize: (release) =>
        leaveRelease(release, { ...partsFor(release), mayDelete: !lacksAccount(release, shared) }),
      converge: async (release) => {
        const { undecided } = release;
        // Neither its account nor its limits are known. The watch of namespaces requeues it.
        if (undecided?.state === "pending") return { outcome: undecided };
        const parts = partsFor(release);
        return await withNext(release, await deploy(release, parts), parts);
      },
      judge: (release, ended) => judgeRelease(release, ended, { ...shared, cluster, log }),
      report: (run, onWritten) => report(run, reporting, onWritten),
      announce: (release, { converged }) => announceChanges(converged?.changes ?? [], release, reporting),
      onRemembered: (key, before, now) => {
        if (isNewsForDependents(before, now)) shared.wake(shared.dependents.of(key));
      },
      onNamespaceTerminating: shared.onNamespaceTerminating,
    };
  };
}

/** Everything that a Release reports is in its conditions. */
const quiet: ReportOptions["kind"] = { warnings: () => [], warnOn: [] };
const announced = { kind: quiet, remoteOf, placeOf: placeInSpec } satisfies Partial<ReportOptions>;
const suspended: ReleaseOutcome = { state: "suspended" };

async function deploy(loaded: LoadedRelease, parts: Parts): Promise<Ended> {
  const { key, resource } = loaded;
  const refusal = findRefusal(loaded, parts) ?? refuseByPolicy(loaded, parts);
  const idle = refusal ?? (resource.spec.suspend ? suspended : findPinWait(resource));
  if (idle !== undefined) {
    // Its source is not polled: also, its account or its host may not be allowed any more.
    parts.sources.forget(key);
    if (refusal !== undefined) parts.renderer.forget(key);
    return { outcome: idle };
  }
  const sourced = await readSource(loaded, parts);
  const release = withMemory(loaded, { source: sourced.known });
  const source = reportSource(sourced);
  const { desired } = sourced;
  const moreWith = (kept?: KeptObjects) => {
    const retryAfterMs = soonest(sourced.retryAfterMs, kept?.retryAfterMs);
    return { ...(source && { source }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  };
  const dependencies = readDependencies(release, parts);
  if (desired === undefined) {
    // Keep the deployed objects until a newer revision is available.
    const { applied } = release.memory;
    const last = applied?.generation === resource.metadata.generation ? applied : undefined;
    const kept = last && (await keepDeployed(release, last, parts));
    const unmet = sourced.failure === undefined ? describeUnmet(release, dependencies) : undefined;
    const outcome = unmet ?? describeMissing(sourced, release);
    return {
      outcome,
      ...(last && kept?.isKept && { kept: last }),
      memory: (kept ?? release).memory,
      notice: describeNotice(dependencies),
      ...moreWith(kept),
    };
  }
  const { cycle } = dependencies;
  const checked = checkManifests(release, desired);
  const known = withMemory(release, { checked });
  const mismatch = findDigestMismatch(release, desired, parts);
  const wait =
    refuseManifests(checked) ??
    findUnseen(desired.prepared, parts.stores) ??
    mismatch ??
    cycle ??
    findWait(release, desired, { ...parts, isCurrent: isCurrentFor(parts) });
  if (wait !== undefined) {
    const last =
      wait === mismatch
        ? asPinned(known)
        : wait === cycle && isDeployed(resource, desired)
          ? desired
          : undefined;
    const kept = last && (await keepDeployed(known, last, parts));
    return { outcome: wait, desired, memory: (kept ?? known).memory, ...moreWith(kept) };
  }
  const converged = await convergeRelease(known, desired, parts);
  const { outcome, error, objects } = converged;
  const notice = describeNotice(dependencies);
  const { memory } = withMemory(known, { objects });
  return { outcome, desired, converged, error, notice, memory, ...moreWith() };
}

/** The applied state, if it has the digest in the spec. The pinned commit may render to other manifests since then. */
function asPinned({ resource, memory: { applied } }: LoadedRelease): Desired | undefined {
  return applied?.prepared.digest === resource.spec.digest ? applied : undefined;
}

/** Whether a Release names no ServiceAccount although one is required: then no request is sent for its objects. */
function lacksAccount({ who }: LoadedRelease, { requiresServiceAccount }: OwnParts): boolean {
  return requiresServiceAccount && who === undefined;
}

/** Why a Release cannot be reconciled without an edit. */
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

/**
 * Rejects a Release that the platform does not allow. Nothing is fetched, rendered or applied, and the deployed objects are
 * not changed.
 */
function refuseByPolicy(
  { resource, limits, undecided }: LoadedRelease,
  { platform }: Pick<Parts, "platform">,
): ReleaseOutcome | undefined {
  const older = (): number => platform.olderThan(resource);
  const { allowsLocal } = platform;
  const message =
    undecided?.state === "undecidable"
      ? undecided.message
      : findPolicyRefusal({ spec: resource.spec, limits, allowsLocal, older });
  return message === undefined ? undefined : { state: "refused", reason: "PolicyRefused", message };
}

function refuseManifests({ message }: CheckedManifests): ReleaseOutcome | undefined {
  return message === undefined ? undefined : { state: "refused", reason: "PolicyRefused", message };
}

function describeMissing({ failure, source }: Sourced, { resource }: LoadedRelease): ReleaseOutcome {
  if (failure !== undefined) {
    // If the Release cannot request its source, for example because a Secret is missing, this failure is the result of the poll.
    const asked = resource.metadata.annotations?.[releaseAnnotations.requestedAt];
    const handledRequest = source.state === "pending" ? asked : source.handledRequest;
    return { state: "unsourced", failure, handledRequest };
  }
  return source.state === "ready"
    ? { state: "pending", message: "Waiting for its source to be rendered", isFetched: true }
    : { state: "pending", message: "Waiting for its source to be fetched and rendered" };
}
