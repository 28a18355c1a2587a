import { keyOf } from "../crds/object.ts";
import { kindIn, type ObjectId, type ObjectKindId } from "../synth/manifest.ts";
import {
  type ConvergedKind as Converged,
  type ConvergeKindOptions,
  childKindOf,
  convergeKind,
} from "./desire/chart/converge-kind.ts";
import { finalize, isLeaving } from "./desire/chart/finalize.ts";
import { type Loaded, load } from "./desire/chart/load.ts";
import { publish } from "./desire/chart/publish.ts";
import { writeStatus } from "./desire/chart/write-status.ts";
import { announceChanges, announceStatus } from "./engine/announce.ts";
import { aggregateHealth } from "./engine/health/aggregate-health.ts";
import { assessHealth, type Health } from "./engine/health/health.ts";
import type { OutageNotices } from "./engine/outage-notices.ts";
import { isTransient } from "./engine/outcome.ts";
import { decideRequeue, parkedForMs } from "./engine/requeue.ts";
import { NamespaceTerminatingError, NotOwnedError, ObjectRejectedError } from "./errors.ts";
import type {
  Clock,
  EventRecorder,
  Logger,
  Publisher,
  PublishState,
  Random,
  Reconcile,
  ReconcileResult,
} from "./ports.ts";

export interface ReconcileParts extends ConvergeKindOptions {
  /** Undefined: there is no repository. */
  readonly publisher: Publisher | undefined;
  /** Id of the place in git that it publishes to; see `placeIdOf()`. */
  readonly place: string;
  readonly events: EventRecorder;
  readonly outages: OutageNotices;
  /** Told how far a generation of a resource has come, for metrics. */
  readonly progress?: Progress | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** An object that the resource needs belongs to somebody else, or one of this kind has what it needs. */
  readonly onBlocked: (key: string, by: ObjectId | ObjectKindId) => void;
  /** A write was refused because the namespace is going away. */
  readonly onNamespaceTerminating: (namespace: string) => void;
}

export interface Progress {
  /** All objects of this generation are applied. */
  live(key: string, generation: number): void;
  /** The commit of this generation is on the branch. */
  committed(key: string, generation: number): void;
}

/**
 * One reconcile, from the resource's key to its status: load, synthesize, plan, apply, prune, judge, publish, report.
 *
 * It never waits for anything slow: whatever is on its way wakes the key again when it is there.
 */
export function createReconcile(shared: ReconcileParts): Reconcile {
  return async (key, { log, signal }) => {
    const parts = { ...shared, cluster: shared.cluster.until(signal) };
    const loaded = load(key, parts.kind, parts.stores);
    if (loaded === undefined) {
      // A refusal that came back after the resource was gone would be kept for ever.
      parts.refusals.forget(key);
      return {};
    }
    if (isLeaving(loaded.resource, parts.stores)) {
      await finalize(loaded, parts);
      return {};
    }
    const converged = await convergeKind(loaded, parts);
    // Nothing is offered, recorded or written by a run that was told to end.
    signal.throwIfAborted();
    const { error } = converged;
    if (error instanceof NamespaceTerminatingError) {
      // What is on its way out is nothing to tell the user.
      parts.onNamespaceTerminating(error.namespace);
      return {};
    }
    if (isTransient(converged.outcome, error)) throw error;
    return await report(key, converged, { ...parts, log });
  };
}

/** Judges and publishes what is there now, and writes the status, unless that waits a moment for its commit. */
async function report(
  key: string,
  converged: Converged,
  parts: ReconcileParts & { readonly log: Logger },
): Promise<ReconcileResult> {
  const { kind, stores, clock, random } = parts;
  const { outcome, desired } = converged;
  // Read again: what was applied is in the stores by now.
  const now = load(key, kind, stores);
  if (now === undefined) return {};
  const loaded = asOf(now, converged);
  const health = desired === undefined ? undefined : assess(converged, loaded, parts);
  const published = offer(converged, loaded, parts);

  noteProgress(key, converged, published, parts);
  announceChanges(converged.changes, loaded, parts);
  noteBlocker(key, converged, parts);
  if (parkedForMs(published, clock.now()) === 0) {
    const { resource, observed } = loaded;
    const publishState = published ?? (parts.publisher && ({ state: "skipped" } as const));
    const status = await writeStatus(
      { resource, observed, applied: outcome, health, publish: publishState },
      parts,
    );
    if (status !== undefined) announceStatus({ status, cause: health?.cause }, loaded, parts);
  }
  // Written down, and now the queue's: it tries again, later and later.
  if (outcome.state === "failed") throw converged.error;
  const requeueAfterMs = decideRequeue({
    applied: outcome,
    refusedForMs: parts.refusals.retryAfterMs(key),
    health,
    publish: published,
    nowMs: clock.now(),
    jitter: random(),
  });
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** An edit that came meanwhile is for the next run, which waits already: status and commit speak of what was done. */
function asOf(loaded: Loaded, { generation }: Converged): Loaded {
  const { resource } = loaded;
  if (generation === undefined || resource.metadata.generation === generation) return loaded;
  return { ...loaded, resource: { ...resource, metadata: { ...resource.metadata, generation } } };
}

function noteProgress(
  key: string,
  { outcome, generation = 0 }: Converged,
  published: PublishState | undefined,
  { progress }: ReconcileParts,
): void {
  if (progress === undefined || outcome.state !== "applied") return;
  progress.live(key, generation);
  if (published?.state === "published") progress.committed(key, generation);
}

/** What the end of another object may heal is tried again when one of ours ends. */
function noteBlocker(key: string, { error }: Converged, { onBlocked }: ReconcileParts): void {
  if (error instanceof NotOwnedError) onBlocked(key, error.id);
  if (error instanceof ObjectRejectedError && error.isContested) onBlocked(key, kindIn(error.id));
}

function assess(
  { desired }: Converged,
  { observed }: Loaded,
  { kind, stores, clock }: ReconcileParts,
): Health {
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
 * Only what was applied as a whole is committed: the branch never shows what the cluster refused. What is added to
 * objects of others is not ours to show, so a kind without children publishes nothing.
 */
function offer(
  { outcome, desired }: Converged,
  loaded: Loaded,
  { kind, publisher, place }: ReconcileParts,
): PublishState | undefined {
  if (publisher === undefined || desired === undefined || outcome.state !== "applied") return undefined;
  if (kind.children.length === 0) return undefined;
  return publish(loaded, desired, { kind, publisher, place });
}
