import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { toMilliseconds } from "../../../crds/duration.ts";
import { Release, type ReleaseResource } from "../../../crds/release.ts";
import { kindIn, type ObjectId, type ObjectKindId } from "../../../synth/manifest.ts";
import type { Health } from "../../core/health.ts";
import { decideRequeue } from "../../core/requeue.ts";
import type { ResourceStatus } from "../../core/status.ts";
import { statusPatch } from "../../core/status-patch.ts";
import { NotOwnedError, ObjectRejectedError } from "../../errors.ts";
import { announceChanges, announceStatus } from "../../phases/announce.ts";
import type { OutageNotices } from "../../phases/outage-notices.ts";
import type { Refusals } from "../../phases/refusals.ts";
import type {
  Clock,
  Cluster,
  EventRecorder,
  Logger,
  ObjectStore,
  PublishState,
  Random,
  ReconcileResult,
} from "../../ports.ts";
import { assessRelease, unhealthySinceMs } from "../core/assess-release.ts";
import type { HealthChecks } from "../core/health-checks.ts";
import { composeInventory, type Inventory } from "../core/inventory.ts";
import type { ReleaseOutcome, SourceReport } from "../core/release-outcome.ts";
import { composeReleaseStatus, releaseParkingMs } from "../core/release-status.ts";
import type { ReleaseStores } from "../ports.ts";
import type { ConvergedRelease } from "./converge-release.ts";
import type { LoadedRelease } from "./load-release.ts";
import { type PublishPlaces, publishRelease } from "./publish-release.ts";
import type { Desired } from "./release-memory.ts";

/** How a run ended that is worth a status. */
export interface Ended {
  readonly outcome: ReleaseOutcome;
  /** What the source wants now. */
  readonly desired?: Desired;
  readonly converged?: ConvergedRelease;
  readonly source?: SourceReport;
  /** Nobody will tell: look again after so long. */
  readonly retryAfterMs?: number;
  readonly error?: unknown;
}

export interface ReportOptions {
  readonly cluster: Pick<Cluster, "patchStatus">;
  readonly releases: ObjectStore;
  readonly stores: ReleaseStores;
  readonly checks: HealthChecks;
  /** Undefined: there is no repository. */
  readonly publishers: PublishPlaces | undefined;
  readonly refusals: Refusals;
  readonly events: EventRecorder;
  readonly outages: OutageNotices;
  /** Told how far a generation has come, for metrics. */
  readonly progress: { live(key: string, generation: number): void; committed(key: string, generation: number): void } | undefined;
  /** Puts keys into the queue. */
  readonly wake: (keys: Iterable<string>) => void;
  readonly dependents: { of(key: string): Iterable<string> };
  /** What is there has what the Release needs: an object, or something that only one of a kind can have. */
  readonly onBlocked: (key: string, by: ObjectId | ObjectKindId) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Judges and publishes what is there now, and writes the status, unless a better one is to be expected in a moment.
 *
 * @throws What stood in the way of applying, so that it is tried again, later and later.
 */
export async function reportRelease(
  release: LoadedRelease,
  ended: Ended,
  options: ReportOptions,
): Promise<ReconcileResult> {
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
  const health = desired && isKnown ? judge(now, desired, nowMs, options) : undefined;
  const published = offer(now, ended, options);

  if (converged !== undefined) announceChanges(converged.changes, { resource }, options);
  noteBlocker(key, error, options);
  noteApplied(now, ended, published, options);
  const status = composeReleaseStatus({
    resource,
    outcome,
    health,
    publish: published ?? (options.publishers && { state: "skipped" }),
    source: ended.source,
    digest: desired?.prepared.digest,
    inventory: converged && desired && takeInventory(now, desired, converged, options),
    nowIso: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
  });
  const parkedForMs = await writeUnlessParked(now, { status, ended, health }, options);
  // Written down, and now the queue's: it tries again, later and later.
  if (error !== undefined && (outcome.state === "failed" || outcome.state === "deleting")) throw error;
  const requeueAfterMs = decideRequeue({
    applied: converged?.outcome ?? { state: "retry" },
    contestedForMs: refusals.retryAfterMs(key),
    health,
    publish: undefined,
    nowMs: clock.now(),
    jitter: random(),
  });
  const delays = [requeueAfterMs, parkedForMs, ended.retryAfterMs].filter((ms) => ms !== undefined);
  return delays.length === 0 ? {} : { requeueAfterMs: Math.max(1, Math.ceil(Math.min(...delays))) };
}

/** An edit that came meanwhile is for the next run, which waits already: the status speaks of what was done. */
function asOf(live: LiveObject, { resource }: LoadedRelease): ReleaseResource {
  const { generation } = resource.metadata;
  const metadata = { ...live.metadata, ...(generation !== undefined && { generation }) };
  return { ...resource, ...live, metadata, spec: resource.spec } as ReleaseResource;
}

function judge(
  { resource }: LoadedRelease,
  { prepared, commit }: Desired,
  nowMs: number,
  { stores, checks }: ReportOptions,
): Health {
  const { spec, status } = resource;
  const [last] = status?.history ?? [];
  const isDeployed = last?.digest === prepared.digest && last.revision === commit.id;
  return assessRelease({
    prepared,
    liveOf: ({ kind, manifest }) => kind && stores.watch(kind).store.get(keyOf(manifest)),
    assess: (live) => checks.assess(live, spec.healthChecks, { nowMs }),
    sinceMs: unhealthySinceMs({
      conditions: status?.conditions,
      deployedAt: isDeployed ? last.deployedAt : undefined,
      nowMs,
    }),
    timeout: spec.timeout,
    timeoutMs: toMilliseconds(spec.timeout),
    nowMs,
  });
}

/** Only what was applied as a whole is committed: the branch never shows what the cluster refused. */
function offer(release: LoadedRelease, { outcome, desired }: Ended, { publishers }: ReportOptions): PublishState | undefined {
  if (publishers === undefined || desired === undefined || outcome.state !== "applied") return undefined;
  return publishRelease(release, desired, publishers);
}

function takeInventory(
  { set, resource }: LoadedRelease,
  { prepared }: Desired,
  { outcome, pruned }: ConvergedRelease,
  { stores }: ReportOptions,
): Inventory | undefined {
  // Without a look through all kinds it would be a part of it.
  if (pruned === undefined) return undefined;
  const isPruned = pruned.now.length + pruned.later.length === 0;
  return composeInventory({
    owned: stores.owned(set),
    prepared,
    previous: resource.status?.inventory,
    isComplete: outcome.state === "applied" && isPruned,
  });
}

/** What the end of another object may heal is tried again when one of ours ends. */
function noteBlocker(key: string, error: unknown, { onBlocked }: ReportOptions): void {
  if (error instanceof NotOwnedError) onBlocked(key, error.id);
  if (error instanceof ObjectRejectedError && error.isContested) onBlocked(key, kindIn(error.id));
}

/** Keeps what was deployed, and tells those who wait for it. */
function noteApplied(
  { key, resource, memory }: LoadedRelease,
  { outcome, desired }: Ended,
  published: PublishState | undefined,
  { progress, wake, dependents }: ReportOptions,
): void {
  if (outcome.state !== "applied" || desired === undefined) return;
  const { generation } = resource.metadata;
  const isNew = memory.applied?.tree !== desired.tree;
  memory.applied = { ...desired, generation };
  progress?.live(key, generation ?? 0);
  if (published?.state === "published") progress?.committed(key, generation ?? 0);
  if (isNew) wake(dependents.of(key));
}

/**
 * Writes the status if it is another one than is there: one patch. What is on its way is told only after a moment, because
 * most of it is there by then, and again only after another.
 *
 * @returns How much longer it is kept back, in milliseconds; undefined: it is written, or there is nothing to write.
 */
async function writeUnlessParked(
  { key, resource, memory }: LoadedRelease,
  { status, ended, health }: { readonly status: ResourceStatus; readonly ended: Ended; readonly health: Health | undefined },
  options: ReportOptions,
): Promise<number | undefined> {
  const { cluster, releases, clock, wake, dependents } = options;
  const patch = statusPatch(resource.status, status);
  if (patch === undefined) {
    memory.parkedSinceMs = undefined;
    return undefined;
  }
  const nowMs = clock.now();
  if (isOnItsWay(status, ended)) {
    memory.parkedSinceMs ??= nowMs;
    const leftMs = memory.parkedSinceMs + releaseParkingMs - nowMs;
    if (leftMs > 0) return leftMs;
  }
  const { name, namespace, uid } = resource.metadata;
  const live = await cluster.patchStatus({ kind: Release, namespace, name }, uid, patch);
  memory.parkedSinceMs = isOnItsWay(status, ended) ? nowMs : undefined;
  if (live === undefined) return undefined;
  releases.written(live);
  // Our own writes are silent, and some wait for this Release.
  wake(dependents.of(key));
  announceStatus({ status, cause: health?.cause }, { resource }, { ...options, kind: { warnings: () => [] } });
  return undefined;
}

/** Whether the status will be another one by itself, and nobody needs to do anything. */
function isOnItsWay({ conditions = [] }: ResourceStatus, { outcome, error }: Ended): boolean {
  if (error !== undefined || outcome.state === "refused" || outcome.state === "unsourced") return false;
  if (outcome.state === "pending") return true;
  return conditions.some(
    ({ type, status }) =>
      (type === "Reconciling" && status === "True") || (type === "Published" && status === "Unknown"),
  );
}

