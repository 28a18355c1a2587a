import type { LiveObject } from "../../../crds/object.ts";
import { type NextPlan, Release, type ReleaseResource, type ReleaseStatus } from "../../../crds/release.ts";
import { asWorkedOn, composeReport } from "../../engine/compose-report.ts";
import type { Health } from "../../engine/health/health.ts";
import { listNames } from "../../engine/outcome.ts";
import type { Refusals } from "../../engine/refusals.ts";
import type { Progress, Report, ReportOptions } from "../../engine/report.ts";
import { longestRetryMs } from "../../engine/requeue.ts";
import type { Clock, ObjectStore, Random } from "../../ports.ts";
import type { Judged } from "../../reconcile.ts";
import { announceDeployment } from "./announce-deployment.ts";
import { type AssessReleaseOptions, assessDesired, assessRecorded } from "./assess-release.ts";
import type { ConvergedRelease } from "./converge-release.ts";
import { type KnownDeployed, nextDeployed } from "./deployed-revision.ts";
import type { LoadedRelease } from "./load-release.ts";
import { type HealthNote, noteHealth } from "./note-health.ts";
import type { PendingReleases } from "./pending-releases.ts";
import { stageOf } from "./pipeline-pin.ts";
import { type PublishedRelease, type PublishPlaces, publishRelease } from "./publish-release.ts";
import { type Desired, type Remembered, remember } from "./release-memory.ts";
import type { ReleaseOutcome, SourceReport } from "./release-outcome.ts";
import { composeReleaseStatus } from "./release-status.ts";
import { assessReleaseLoss } from "./source-loss.ts";
import { withholdStatus } from "./withhold-status.ts";

/** The result of a run, for its status. */
export interface Ended {
  readonly outcome: ReleaseOutcome;
  /** The desired set of the source. */
  readonly desired?: Desired;
  /** The deployed set, which was kept because no newer one is available. */
  readonly kept?: Desired;
  readonly converged?: ConvergedRelease;
  readonly source?: SourceReport;
  /** There will be no event: check again after this time. */
  readonly retryAfterMs?: number;
  readonly error?: unknown;
  /** The plan of a commit that is not deployed, if one is requested. Undefined: unchanged. */
  readonly next?: { readonly plan: NextPlan | undefined };
  /** Whether that plan is in progress and will be reported. */
  readonly isPlanning?: boolean;
  /** Warnings of a healthy Release. */
  readonly notice?: string | undefined;
  /** Undefined: unchanged. */
  readonly memory?: Remembered;
}

export interface ReportReleaseOptions
  extends Omit<ReportOptions, "resources" | "kind">,
    Omit<AssessReleaseOptions, "nowMs"> {
  readonly releases: ObjectStore;
  readonly dependents: { of(key: string): Iterable<string> };
  readonly pending: PendingReleases;
  /** Requeues keys. */
  readonly wake: (keys: Iterable<string>) => void;
  readonly clock: Clock;
  /** Undefined: there is no repository. */
  readonly publishers: PublishPlaces | undefined;
  readonly refusals: Refusals;
  readonly progress: Progress | undefined;
  readonly random: Random;
}

/** Assesses and publishes the current objects, and composes the status unless a better one is expected soon. */
export function judgeRelease(
  release: LoadedRelease,
  ended: Ended,
  options: ReportReleaseOptions,
): Judged<Remembered> | undefined {
  const { key, memory: before } = release;
  const { desired, converged, outcome, error } = ended;
  const { releases, clock } = options;
  // Read again: the store contains the written objects now.
  const live = releases.get(key);
  if (live?.metadata.uid !== before.uid) return undefined;
  const resource = asOf(live, release);
  const now = { ...release, resource };
  const nowMs = clock.wallClock().getTime();
  const isKnown = converged?.plan !== undefined && outcome.state !== "retry";
  const judged = isKnown ? desired : ended.kept;
  const health = assess(now, { outcome, judged }, { ...options, nowMs });
  const published = offer(now, ended, options);
  const { target } = published ?? before;
  const warned = announceWarnings(now, ended, options);
  const loss = assessReleaseLoss(resource, ended, nowMs);
  const deployed = deployedOf(now, ended);
  const { seen, turn } = noteHealth(now, { outcome, judged, health, nowMs }, options);
  const report = composeReport(
    {
      ...{ key, kind: Release, resource, outcome, error, health },
      changes: converged?.changes ?? [],
      errors: converged?.errors,
      applied: converged?.outcome ?? { state: "retry" },
      publish: published?.state,
      hasRepository: options.publishers !== undefined,
      compose: (parts) =>
        composeReleaseStatus({
          ...parts,
          resource,
          outcome,
          health,
          source: ended.source,
          notice: ended.notice,
          isSourceLost: loss?.isLost,
          deployed,
          digest: desired?.prepared.digest,
          inventory: converged?.inventory,
          seen,
          next: ended.next,
        }),
      // The resourceVersion protects the inventory: a late write must not remove entries that a successor has recorded.
      at: { resourceVersion: resource.metadata.resourceVersion },
      onWritten: (written) => {
        // Our own writes cause no event, but dependents wait for this Release.
        options.wake(options.dependents.of(key));
        announceDeployment(
          { before: resource.status, after: written as Partial<ReleaseStatus> },
          resource,
          options,
        );
      },
      wakeUps: () => ({
        // No event reports new permissions of a ServiceAccount.
        retryWithinMs: longestRetryMs,
        againAfterMs: [ended.retryAfterMs, converged?.againAfterMs, loss?.graceLeftMs || undefined],
      }),
    },
    options,
  );
  const othersPending = options.pending.note(key, outcome.state === "pending");
  const ending = { change: report.change, ended, othersPending };
  const { forMs, withheld, onceWritten } = withholdStatus(now, ending, clock.now());
  const memory = remember(before, {
    applied: appliedOf(now, ended),
    deployed,
    target,
    warned,
    withheld,
    turn,
  });
  return {
    report: forMs > 0 ? withheldFor(forMs, report) : report,
    publish: published?.state,
    memory,
    memoryOnceWritten: remember(memory, { withheld: onceWritten }),
  };
}

/** Withholds the status of a report, because it may have improved after this time. */
function withheldFor(forMs: number, report: Report): Report {
  return { ...report, change: undefined, requeueAfterMs: [...report.requeueAfterMs, forMs] };
}

/** The current Release, with the spec of this run, which contains defaults. */
function asOf(live: LiveObject, { resource }: LoadedRelease): ReleaseResource {
  return { ...asWorkedOn(live, resource.metadata.generation), spec: resource.spec } as ReleaseResource;
}

/** The deployed revision. It changes when all objects are applied. */
function deployedOf(
  { resource, memory: { deployed: known } }: LoadedRelease,
  { outcome, source }: Ended,
): KnownDeployed | undefined {
  if (outcome.state !== "applied" || source?.folder === undefined) return known;
  const { folder, head } = source;
  const pin = stageOf(resource.spec) === undefined ? undefined : head.id;
  return nextDeployed({ written: resource.status?.deployed, known, folder, pin });
}

/** The health of the objects. Undefined: they are not assessed in this run. */
function assess(
  release: LoadedRelease,
  { outcome, judged }: Pick<HealthNote, "outcome" | "judged">,
  options: AssessReleaseOptions,
): Health | undefined {
  if (judged !== undefined) return assessDesired(release, judged, options);
  return outcome.state === "unsourced" ? assessRecorded(release, options) : undefined;
}

/** Offers a fully applied set to the publisher, so that the branch never contains objects that the cluster rejected. */
function offer(
  release: LoadedRelease,
  { outcome, desired }: Ended,
  { publishers }: ReportReleaseOptions,
): PublishedRelease | undefined {
  if (publishers === undefined || desired === undefined || outcome.state !== "applied") return undefined;
  return publishRelease(release, desired, publishers);
}

/** Reports the ignored parts of a source, once for each render. @returns The render whose warnings were reported last. */
function announceWarnings(
  { resource, memory: { warned } }: LoadedRelease,
  { desired }: Ended,
  { events }: ReportReleaseOptions,
): string | undefined {
  const { warnings = [], digest } = desired?.rendered ?? {};
  if (warnings.length === 0 || warned === digest) return warned;
  events.record(resource, {
    type: "Warning",
    reason: "SourceIgnored",
    action: "Render",
    note: listNames(warnings),
  });
  return digest;
}

/** The last fully applied state. Returns the identical object while the state is the same. */
function appliedOf(
  { resource, memory: { applied } }: LoadedRelease,
  { outcome, desired }: Ended,
): Remembered["applied"] {
  if (outcome.state !== "applied" || desired === undefined) return applied;
  const { generation } = resource.metadata;
  const isSame =
    applied?.generation === generation &&
    applied?.prepared === desired.prepared &&
    applied.rendered === desired.rendered &&
    applied.commit === desired.commit &&
    applied.head.id === desired.head.id &&
    applied.tree === desired.tree;
  return isSame ? applied : { ...desired, generation };
}
