import type { Condition } from "../../../crds/conditions.ts";
import { toMilliseconds } from "../../../crds/duration.ts";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release, type ReleaseResource, type ReleaseStatus } from "../../../crds/release.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import { assessSet, unhealthySinceMs } from "../../engine/health/assess-set.ts";
import type { Health } from "../../engine/health/health.ts";
import type { HealthChecks } from "../../engine/health/health-checks.ts";
import { listNames } from "../../engine/outcome.ts";
import type { Refusals } from "../../engine/refusals.ts";
import { noteProgress, type Progress, type ReportOptions, report } from "../../engine/report.ts";
import { decideRequeue } from "../../engine/requeue.ts";
import { graceLeftMs } from "../../engine/source-grace.ts";
import type { Clock, ObjectStore, PublishState, Random } from "../../ports.ts";
import type { Reported } from "../../reconcile.ts";
import { announceDeployment } from "./announce-deployment.ts";
import type { ConvergedRelease } from "./converge-release.ts";
import { type KnownDeployed, nextDeployed } from "./deployed-revision.ts";
import type { LoadedRelease } from "./load-release.ts";
import { type PublishPlaces, publishRelease } from "./publish-release.ts";
import type { Desired } from "./release-memory.ts";
import type { ReleaseOutcome, SourceReport } from "./release-outcome.ts";
import { composeReleaseStatus } from "./release-status.ts";
import { isPinnedTo } from "./source-loss.ts";
import type { Sourced } from "./source-release.ts";
import { noteWritten, withholdStatus } from "./withhold-status.ts";

/** How a run ended that is worth a status. */
export interface Ended {
  readonly outcome: ReleaseOutcome;
  /** What the source wants now. */
  readonly desired?: Desired;
  /** What is deployed and was kept as it is, because nothing newer can be had. */
  readonly kept?: Desired;
  readonly converged?: ConvergedRelease;
  readonly source?: SourceReport;
  /** Nobody will tell: look again after so long. */
  readonly retryAfterMs?: number;
  readonly error?: unknown;
  /** What people should know although all is well. */
  readonly notice?: string | undefined;
}

export interface ReportReleaseOptions extends Omit<ReportOptions, "resources" | "kind"> {
  readonly releases: ObjectStore;
  readonly dependents: { of(key: string): Iterable<string> };
  /** Puts keys into the queue. */
  readonly wake: (keys: Iterable<string>) => void;
  readonly clock: Clock;
  readonly stores: FoundStores;
  readonly checks: HealthChecks;
  /** Undefined: there is no repository. */
  readonly publishers: PublishPlaces | undefined;
  readonly refusals: Refusals;
  readonly progress: Progress | undefined;
  readonly random: Random;
}

const longestRetryMs = 60_000;

/**
 * Judges and publishes what is there now, and writes the status, unless a better one is to be expected in a moment.
 *
 * @throws What stood in the way of applying, so that it is tried again, later and later.
 */
export async function reportRelease(
  release: LoadedRelease,
  ended: Ended,
  options: ReportReleaseOptions,
): Promise<Reported> {
  const { key, memory } = release;
  const { desired, converged, outcome, error } = ended;
  const { releases, refusals, clock, random } = options;
  // Read again: what was written is in the store by now.
  const live = releases.get(key);
  if (live?.metadata.uid !== memory.uid) return {};
  const resource = asOf(live, release);
  const now = { ...release, resource };
  const nowMs = clock.wallClock().getTime();
  const isKnown = converged?.plan !== undefined && outcome.state !== "retry";
  const judged = isKnown ? desired : ended.kept;
  const health = judged && judge(now, judged, nowMs, options);
  const published = offer(now, ended, options);

  noteApplied(now, ended, published, options);
  announceWarnings(now, ended, options);
  const loss = assessLoss(now, ended, nowMs);
  const status = composeReleaseStatus({
    resource,
    outcome,
    health,
    publish: published ?? (options.publishers && { state: "skipped" }),
    source: ended.source,
    notice: ended.notice,
    isSourceLost: loss?.isLost,
    deployed: noteDeployed(now, ended),
    digest: desired?.prepared.digest,
    inventory: converged?.inventory,
    nowIso: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
  });
  const requeueAfterMs = decideRequeue({
    applied: converged?.outcome ?? { state: "retry" },
    refusedForMs: refusals.retryAfterMs(key),
    health,
    publish: undefined,
    nowMs: clock.now(),
    jitter: random(),
  });
  const reported = await report(
    {
      key,
      kind: Release,
      resource,
      changes: converged?.changes ?? [],
      health,
      status,
      // The version guards the inventory: a late write must not take away what a successor has recorded.
      at: { resourceVersion: resource.metadata.resourceVersion },
      withholdMs: (next, isNew) => withholdStatus(now, { status: next, isNew, ended }, clock),
      onWritten: (written) => {
        noteWritten(now, { status: written, ended }, clock);
        // Our own writes are silent, and some wait for this Release.
        options.wake(options.dependents.of(key));
        announceDeployment(
          { before: resource.status, after: written as Partial<ReleaseStatus> },
          resource,
          options,
        );
      },
      error,
      isRetried: error !== undefined && (outcome.state === "failed" || outcome.state === "deleting"),
      // No event reports new rights of a ServiceAccount.
      retryWithinMs: longestRetryMs,
      requeueAfterMs: [requeueAfterMs, ended.retryAfterMs, converged?.againAfterMs, loss?.againAfterMs],
    },
    { ...options, resources: releases, kind: { warnings: () => [], warnOn: [] } },
  );
  return { ...reported, publish: published };
}

/** What is known of a source, as its conditions and the status show it; undefined: nothing new. */
export function reportSource({ source, desired }: Sourced): Ended["source"] {
  if (source.state !== "ready") return undefined;
  const { revision, stale, handledRequest } = source;
  const { head, changed: touched, tree, isAssumed = false } = revision;
  const changed = desired?.commit ?? touched;
  return { head, changed, folder: { tree, touched, isAssumed }, stale, handledRequest };
}

/** An edit that came meanwhile is for the next run, which waits already: the status speaks of what was done. */
function asOf(live: LiveObject, { resource }: LoadedRelease): ReleaseResource {
  const { generation } = resource.metadata;
  const metadata = { ...live.metadata, ...(generation !== undefined && { generation }) };
  return { ...resource, ...live, metadata, spec: resource.spec } as ReleaseResource;
}

/** Whether a source that cannot be had makes the Release unready now, or when to look again. */
function assessLoss(
  { resource }: LoadedRelease,
  { outcome, source }: Ended,
  nowMs: number,
): { readonly isLost: boolean; readonly againAfterMs?: number } | undefined {
  const failure = outcome.state === "unsourced" ? outcome.failure : source?.stale;
  if (failure === undefined) return undefined;
  const head = source?.head.id ?? resource.status?.observedHead;
  if (isPinnedTo(head, resource, failure)) return { isLost: false };
  const conditions = resource.status?.conditions as readonly Condition[] | undefined;
  const leftMs = graceLeftMs({ failure, conditions, nowMs });
  return leftMs === 0 ? { isLost: true } : { isLost: false, againAfterMs: leftMs };
}

/** Remembers what of the folder is deployed, if it is applied as a whole. */
function noteDeployed(
  { resource, memory }: LoadedRelease,
  { outcome, source }: Ended,
): KnownDeployed | undefined {
  if (outcome.state !== "applied" || source?.folder === undefined) return memory.deployed;
  const { folder } = source;
  const known = nextDeployed({ written: resource.status?.deployed, known: memory.deployed, folder });
  memory.deployed = known;
  return known;
}

function judge(
  { resource }: LoadedRelease,
  { prepared, commit }: Desired,
  nowMs: number,
  { stores, checks }: ReportReleaseOptions,
): Health {
  const { spec, status } = resource;
  const [last] = status?.history ?? [];
  const isDeployed = last?.digest === prepared.digest && last.revision === commit.id;
  return assessSet({
    prepared,
    liveOf: ({ kind, manifest }) => kind && stores.watch(kind).store.get(keyOf(manifest)),
    finished: status?.inventory?.finished,
    assess: (live) => checks.assess(live, spec.healthChecks, { nowMs }),
    sinceMs: unhealthySinceMs({
      conditions: status?.conditions,
      isNew: status?.attempted !== commit.id,
      deployedAt: isDeployed ? last.deployedAt : undefined,
      nowMs,
    }),
    timeout: spec.timeout,
    timeoutMs: toMilliseconds(spec.timeout),
    nowMs,
  });
}

/** Only what was applied as a whole is committed: the branch never shows what the cluster refused. */
function offer(
  release: LoadedRelease,
  { outcome, desired }: Ended,
  { publishers }: ReportReleaseOptions,
): PublishState | undefined {
  if (publishers === undefined || desired === undefined || outcome.state !== "applied") return undefined;
  return publishRelease(release, desired, publishers);
}

/** What a source has that is left out, once for each render. */
function announceWarnings(
  { resource, memory }: LoadedRelease,
  { desired }: Ended,
  { events }: ReportReleaseOptions,
): void {
  const { warnings = [], digest } = desired?.rendered ?? {};
  if (warnings.length === 0 || memory.warned === digest) return;
  memory.warned = digest;
  events.record(resource, {
    type: "Warning",
    reason: "SourceIgnored",
    action: "Render",
    note: listNames(warnings),
  });
}

/** Keeps what was deployed, and tells those who wait for it. */
function noteApplied(
  { key, resource, memory }: LoadedRelease,
  { outcome, desired }: Ended,
  published: PublishState | undefined,
  { progress, wake, dependents }: ReportReleaseOptions,
): void {
  if (outcome.state !== "applied" || desired === undefined) return;
  const { generation } = resource.metadata;
  const isNew = memory.applied?.tree !== desired.tree;
  memory.applied = { ...desired, generation };
  noteProgress(key, { generation, published, progress });
  if (isNew) wake(dependents.of(key));
}
