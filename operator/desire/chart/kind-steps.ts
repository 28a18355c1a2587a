import { keyOf } from "../../../crds/object.ts";
import { contextOf } from "../../../synth/record.ts";
import { announceChanges, announceStatus } from "../../engine/announce.ts";
import { aggregateHealth } from "../../engine/health/aggregate-health.ts";
import { assessHealth, type Health } from "../../engine/health/health.ts";
import { healthOf } from "../../engine/health/verdict.ts";
import type { OutageNotices } from "../../engine/outage-notices.ts";
import { noteBlocker, noteProgress, type OnBlocked, type Progress } from "../../engine/report.ts";
import { decideRequeue, parkedForMs } from "../../engine/requeue.ts";
import { RunClock, type TimeSource } from "../../engine/run-clock.ts";
import type {
  EventRecorder,
  Logger,
  Publisher,
  PublishState,
  Random,
  ReconcileOptions,
  ReconcileResult,
} from "../../ports.ts";
import type { ReconcileSteps } from "../../reconcile.ts";
import { type ConvergedKind, type ConvergeKindOptions, childKindOf, convergeKind } from "./converge-kind.ts";
import { finalize, isLeaving } from "./finalize.ts";
import { type Loaded, load } from "./load.ts";
import { publish } from "./publish.ts";
import { retireOrConverge } from "./retire.ts";
import { isRecordBehind, writeRecord } from "./write-record.ts";
import { writeStatus } from "./write-status.ts";

export interface KindParts extends Omit<ConvergeKindOptions, "kindClock"> {
  /** Undefined: there is no repository. */
  readonly publisher: Publisher | undefined;
  /** Id of the place in git that it publishes to; see `placeIdOf()`. */
  readonly place: string;
  readonly events: EventRecorder;
  readonly outages: OutageNotices;
  readonly progress?: Progress | undefined;
  /** By which instants pass. */
  readonly time: TimeSource;
  readonly random: Random;
  readonly onBlocked: OnBlocked;
  /** Has a key reconciled after so many milliseconds at the latest. */
  readonly wakeLater: (key: string, afterMs: number) => void;
  readonly onNamespaceTerminating: (namespace: string) => void;
}

/** The steps of the loop for the resources of one kind. */
export function kindSteps(
  shared: KindParts,
): (run: ReconcileOptions) => ReconcileSteps<Loaded, ConvergedKind> {
  return ({ signal, log }) => {
    const runClock = shared.kind.hasContext ? new RunClock(shared.time.nowMs()) : undefined;
    const parts = { ...shared, cluster: shared.cluster.until(signal), log, kindClock: runClock };
    return {
      load: (key) => {
        const loaded = load(key, parts.kind, parts.stores);
        // A refusal that came back after the resource was gone would be kept forever.
        if (loaded === undefined) parts.refusals.forget(key);
        return loaded;
      },
      isLeaving: ({ resource }) => isLeaving(resource, parts.stores),
      finalize: async (loaded) => {
        await finalize(loaded, parts);
        return undefined;
      },
      ...(parts.kind.record !== undefined &&
        runClock && { record: (loaded: Loaded) => writeRecord(loaded, { ...parts, clock: runClock }) }),
      converge: (loaded) =>
        parts.kind.retire === undefined || runClock === undefined
          ? convergeKind(loaded, parts)
          : retireOrConverge(loaded, { ...parts, kindClock: runClock }),
      report: (loaded, converged) => report(loaded, converged, parts),
      onNamespaceTerminating: parts.onNamespaceTerminating,
    };
  };
}

type Parts = KindParts & {
  readonly log: Logger;
  /** Undefined: the kind has no context. */
  readonly kindClock: RunClock | undefined;
};

/** Assesses and publishes what is there now, and writes the status, unless that waits a moment for its commit. */
async function report(before: Loaded, converged: ConvergedKind, parts: Parts): Promise<ReconcileResult> {
  const { kind, stores, clock, random, kindClock } = parts;
  const key = keyOf(before.resource);
  const { outcome, desired, error } = converged;
  // Read again: what was applied is in the stores by now.
  const now = load(key, kind, stores);
  if (now === undefined) return {};
  const loaded = asOf(now, converged);
  const health = desired === undefined ? undefined : assess(converged, loaded, parts);
  const published = offer(converged, loaded, parts);

  const { generation } = converged;
  if (outcome.state === "applied") noteProgress(key, { generation, published, progress: parts.progress });
  announceChanges(converged.changes, loaded, parts);
  noteBlocker(key, error, parts.onBlocked);
  if (parkedForMs(published, clock.now()) === 0) {
    const { resource, observed } = loaded;
    const publishState = published ?? (parts.publisher && ({ state: "skipped" } as const));
    const status = await writeStatus(
      { resource, observed, applied: outcome, health, publish: publishState, expired: converged.expired },
      parts,
    );
    if (status !== undefined) announceStatus({ status, cause: health?.cause }, loaded, parts);
  }
  const isBehind =
    kindClock !== undefined &&
    before.folded !== undefined &&
    isRecordBehind({ ...loaded, folded: before.folded }, { kind, clock: kindClock });
  const instantInMs = isBehind ? 0 : kindClock?.untilNextMs(parts.time.nowMs());
  if (outcome.state === "failed") {
    // The queue retries it with backoff, which may be longer.
    if (instantInMs !== undefined) parts.wakeLater(key, Math.max(1, Math.ceil(instantInMs)));
    throw error;
  }
  const requeueAfterMs = decideRequeue({
    applied: outcome,
    refusedForMs: parts.refusals.retryAfterMs(key),
    instantInMs,
    health,
    publish: published,
    nowMs: clock.now(),
    jitter: random(),
  });
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** A concurrent edit is for the next run, which is queued already: status and commit report what was done. */
function asOf(loaded: Loaded, { generation }: ConvergedKind): Loaded {
  const { resource } = loaded;
  if (generation === undefined || resource.metadata.generation === generation) return loaded;
  return { ...loaded, resource: { ...resource, metadata: { ...resource.metadata, generation } } };
}

function assess(
  { desired, expired }: ConvergedKind,
  { resource, observed }: Loaded,
  { kind, stores, clock, kindClock }: Parts,
): Health {
  if (expired !== undefined) return healthOf({ status: "Suspended", message: expired });
  if (kind.verdict !== undefined && kindClock !== undefined) {
    const verdict = kind.verdict({ resource, observed, ...contextOf(kind, resource, kindClock) });
    if (verdict !== undefined) return healthOf(verdict);
  }
  const nowMs = clock.wallClock().getTime();
  const pods = kind.related
    .filter((related) => related.kind.kind === "Pod")
    .flatMap((related) => observed.list(related.kind));
  const judged = (desired?.manifests ?? []).map((manifest) => {
    const live = stores.children(childKindOf(manifest, kind)).get(keyOf(manifest));
    return { child: live ?? manifest, health: assessHealth(live, { nowMs, pods }) };
  });
  return aggregateHealth(judged);
}

/**
 * Only a set that was applied as a whole is committed: the branch never shows what the cluster refused. Additions to objects
 * of others are not published, so a kind without children publishes nothing.
 */
function offer(
  { outcome, target }: ConvergedKind,
  loaded: Loaded,
  { kind, publisher, place }: KindParts,
): PublishState | undefined {
  if (publisher === undefined || target === undefined || outcome.state !== "applied") return undefined;
  if (kind.children.length === 0) return undefined;
  return publish(loaded, target.desired, { kind, publisher, place });
}
