import { keyOf } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import type { ManifestSet } from "../../../synth/manifest.ts";
import { contextOf } from "../../../synth/record.ts";
import { awaitsSource } from "../../../synth/source.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import { aggregateHealth } from "../../engine/health/aggregate-health.ts";
import { assessHealth, type Health } from "../../engine/health/health.ts";
import { healthOf } from "../../engine/health/verdict.ts";
import type { Refusals } from "../../engine/refusals.ts";
import { noteProgress, type Progress, type ReportOptions, statusChange } from "../../engine/report.ts";
import { decideRequeue, parkedForMs } from "../../engine/requeue.ts";
import type { RunClock, TimeSource } from "../../engine/run-clock.ts";
import { type SourceStanding, standingOf } from "../../engine/source-standing.ts";
import { composeStatus, type ResourceStatus } from "../../engine/status.ts";
import type { Clock, Publisher, PublishState, Random, Stores } from "../../ports.ts";
import type { Judged } from "../../reconcile.ts";
import { type ConvergedKind, childKindOf } from "./converge-kind.ts";
import { type Loaded, load } from "./load.ts";
import { publish } from "./publish.ts";
import { isRecordBehind } from "./write-record.ts";

const longestRetryMs = 60_000;

export interface ReportKindOptions extends Omit<ReportOptions, "resources" | "kind"> {
  readonly kind: SynthesizableKind;
  readonly stores: Stores;
  /** Undefined: there is no repository. */
  readonly publisher: Publisher | undefined;
  /** Id of the place in git that it publishes to; see `placeIdOf()`. */
  readonly place: string;
  readonly refusals: Refusals;
  readonly progress?: Progress | undefined;
  /** By which instants pass. */
  readonly time: TimeSource;
  /** Undefined: the kind has no context. */
  readonly kindClock: RunClock | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Assesses and publishes what is there now, and composes the status, unless that waits a moment for its commit. */
export function judgeKind(
  before: Loaded,
  converged: ConvergedKind,
  options: ReportKindOptions,
): Judged | undefined {
  const { kind, stores, clock, kindClock } = options;
  const { definition } = kind;
  const key = keyOf(before.resource);
  const { outcome, desired, error, generation } = converged;
  // Read again: what was applied is in the stores by now.
  const now = load(key, kind, stores);
  if (now === undefined) return undefined;
  const loaded = { ...asOf(now, converged), ...(before.sourced && { sourced: before.sourced }) };
  const { resource } = loaded;
  const verdict = desired === undefined ? undefined : verdictOf(converged, loaded, options);
  const health = desired === undefined ? undefined : (verdict ?? assess(desired, loaded, options));
  const published = offer(converged, loaded, options);
  if (outcome.state === "applied") noteProgress(key, { generation, published, progress: options.progress });
  const isParked = parkedForMs(published, clock.now()) > 0;
  const standing = standingIn(loaded, { converged, isJudged: verdict !== undefined }, options);
  const status = isParked ? undefined : statusOf(loaded, { converged, health, published, standing }, options);
  const isBehind =
    kindClock !== undefined &&
    before.folded !== undefined &&
    isRecordBehind({ ...loaded, folded: before.folded }, { kind, clock: kindClock });
  const instantInMs = isBehind ? 0 : kindClock?.untilNextMs(options.time.nowMs());
  const requeueAfterMs = decideRequeue({
    applied: outcome,
    refusedForMs: options.refusals.retryAfterMs(key),
    instantInMs,
    health,
    publish: published,
    nowMs: clock.now(),
    jitter: options.random(),
  });
  return {
    report: {
      key,
      kind: definition,
      resource,
      changes: converged.changes,
      health,
      change: status && statusChange(resource, status),
      // A record is never set back: not even by a write that reaches the server late.
      ...(kind.record && { at: { resourceVersion: resource.metadata.resourceVersion } }),
      error,
      isRetried: outcome.state === "failed",
      // Nothing reports that a ServiceAccount was given permissions.
      retryWithinMs:
        kind.policy.actAs === undefined
          ? instantInMs
          : Math.min(instantInMs ?? longestRetryMs, longestRetryMs),
      requeueAfterMs: [requeueAfterMs, before.sourced?.retryAfterMs, standing?.graceLeftMs || undefined],
    },
    publish: published,
  };
}

/** A concurrent edit is for the next run, which is queued already: status and commit report what was done. */
function asOf(loaded: Loaded, { generation }: ConvergedKind): Loaded {
  const { resource } = loaded;
  if (generation === undefined || resource.metadata.generation === generation) return loaded;
  return { ...loaded, resource: { ...resource, metadata: { ...resource.metadata, generation } } };
}

interface StatusParts {
  readonly converged: ConvergedKind;
  readonly health: Health | undefined;
  readonly published: PublishState | undefined;
  readonly standing: SourceStanding | undefined;
}

/** What is to be said of the source. Undefined: the resource follows none. */
function standingIn(
  { resource, sourced }: Loaded,
  { converged, isJudged }: { readonly converged: ConvergedKind; readonly isJudged: boolean },
  { kind, clock }: ReportKindOptions,
): SourceStanding | undefined {
  const source = sourced?.state;
  if (source === undefined) return undefined;
  const { outcome, desired } = converged;
  return standingOf({
    source,
    isHeld: outcome.state === "waiting" && desired === undefined && awaitsSource(kind, source),
    isJudged,
    previous: (resource.status as EngineStatus | undefined)?.conditions ?? [],
    generation: resource.metadata.generation,
    nowMs: clock.wallClock().getTime(),
  });
}

function statusOf(
  { resource, observed, sourced }: Loaded,
  { converged: { outcome, expired }, health, published, standing }: StatusParts,
  { kind, publisher, clock, kindClock }: ReportKindOptions,
): ResourceStatus {
  const context = kindClock && contextOf(kind, resource, { clock: kindClock, source: sourced?.state });
  const own = kind.status(resource, observed, context);
  return composeStatus({
    resource,
    kindStatus: context === undefined ? own : { ...own, ...context.record },
    applied: outcome,
    health,
    publish: published ?? (publisher && { state: "skipped" }),
    expired,
    standing,
    // The conditions of a run are its history.
    keepsOrder: kind.record !== undefined,
    nowIso: `${clock.wallClock().toISOString().slice(0, 19)}Z`,
  });
}

/** The health by which its kind judges a resource, or that of one that has expired. Undefined: that of its objects counts. */
function verdictOf(
  { expired }: ConvergedKind,
  { resource, observed, sourced }: Loaded,
  { kind, kindClock }: ReportKindOptions,
): Health | undefined {
  if (expired !== undefined) return healthOf({ status: "Suspended", message: expired });
  if (kind.verdict === undefined || kindClock === undefined) return undefined;
  const given = contextOf(kind, resource, { clock: kindClock, source: sourced?.state });
  const verdict = kind.verdict({ resource, observed, ...given });
  return verdict && healthOf(verdict);
}

/** The health of the worst object. */
function assess(
  { manifests }: ManifestSet,
  { observed }: Loaded,
  { kind, stores, clock }: ReportKindOptions,
): Health {
  const nowMs = clock.wallClock().getTime();
  const pods = kind.related
    .filter((related) => related.kind.kind === "Pod")
    .flatMap((related) => observed.list(related.kind));
  const judged = manifests.map((manifest) => {
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
  { kind, publisher, place }: ReportKindOptions,
): PublishState | undefined {
  if (publisher === undefined || target === undefined || outcome.state !== "applied") return undefined;
  if (kind.children.length === 0) return undefined;
  return publish(loaded, target.desired, { kind, publisher, place });
}
