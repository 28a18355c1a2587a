import type { Verdict } from "../../../crds/kind-context.ts";
import { type CustomResource, keyOf } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { contextOf } from "../../../synth/record.ts";
import { awaitsSource } from "../../../synth/source.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import { asWorkedOn, composeReport, type WakeUps } from "../../engine/compose-report.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { assessObjects } from "../../engine/health/assess-set.ts";
import { assessHealth, type Health } from "../../engine/health/health.ts";
import { healthOf } from "../../engine/health/verdict.ts";
import type { Refusals } from "../../engine/refusals.ts";
import type { Progress, ReportOptions } from "../../engine/report.ts";
import { longestRetryMs } from "../../engine/requeue.ts";
import type { RunClock, TimeSource } from "../../engine/run-clock.ts";
import { type KindSourceStanding, standingOf } from "../../engine/source-standing.ts";
import { composeStatus, type ResourceStatus, type StatusInput } from "../../engine/status.ts";
import { SpecInvalidError } from "../../errors.ts";
import type { Clock, Publisher, PublishState, Random, Stores } from "../../ports.ts";
import type { Judged } from "../../reconcile.ts";
import { withAppliedGeneration } from "./applied-generation.ts";
import { callFunction } from "./call-function.ts";
import type { ConvergedKind } from "./converge-kind.ts";
import { type Loaded, load } from "./load.ts";
import { hasNewEnd } from "./protected-runs.ts";
import { publish } from "./publish.ts";
import { type KindMemory, timeHealth, timeoutOf } from "./time-health.ts";
import { isRecordBehind } from "./write-record.ts";

export interface ReportKindOptions extends Omit<ReportOptions, "resources" | "kind"> {
  readonly kind: SynthesizableKind;
  readonly stores: Stores;
  /** Undefined: there is no repository. */
  readonly publisher: Publisher | undefined;
  /** Id of the location in git to which it publishes; see `placeIdOf()`. */
  readonly place: string;
  readonly refusals: Refusals;
  readonly progress?: Progress | undefined;
  /** Decides whether an instant has passed. */
  readonly time: TimeSource;
  /** Undefined: the kind has no context. */
  readonly kindClock: RunClock | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Assesses and publishes the current objects, and composes the status unless the status waits for its commit. */
export function judgeKind(
  before: Loaded,
  converged: ConvergedKind,
  options: ReportKindOptions,
): Judged<KindMemory> | undefined {
  const { kind, stores, kindClock } = options;
  const key = keyOf(before.resource);
  const { outcome, desired, target, changes, error, errors } = converged;
  // Read again: the stores contain the applied objects now.
  const now = load(key, kind, stores);
  if (now === undefined) return undefined;
  const loaded = {
    ...now,
    resource: asWorkedOn(now.resource, converged.generation),
    ...(before.sourced && { sourced: before.sourced }),
    ...(before.memory && { memory: before.memory }),
  };
  const { resource } = loaded;
  const verdict = desired === undefined ? undefined : verdictOf(converged, loaded, options);
  const judged = verdict && (verdict instanceof SpecInvalidError ? invalid(verdict) : healthOf(verdict));
  const { health, memory } =
    target === undefined || judged !== undefined
      ? { health: judged }
      : assessInTime(target.desired, loaded, options);
  const publish = offer(converged, loaded, options);
  const standing = standingIn(loaded, { converged, isJudged: verdict !== undefined }, options);
  const wakeUps = (): WakeUps => {
    const isBehind =
      kindClock !== undefined &&
      before.folded !== undefined &&
      // Our own deletion of a run does not cause a reconcile.
      (hasNewEnd(loaded, before) ||
        isRecordBehind({ ...loaded, folded: before.folded }, { kind, clock: kindClock }));
    const instantInMs = isBehind ? 0 : kindClock?.untilNextMs(options.time.nowMs());
    return {
      instantInMs,
      // No event reports new permissions of a ServiceAccount.
      retryWithinMs:
        kind.policy.actAs === undefined
          ? instantInMs
          : Math.min(instantInMs ?? longestRetryMs, longestRetryMs),
      againAfterMs: [before.sourced?.retryAfterMs, standing?.graceLeftMs || undefined],
    };
  };
  const report = composeReport(
    {
      ...{ key, kind: kind.definition, resource, outcome, changes, error, errors },
      ...{ health, publish, wakeUps },
      applied: outcome,
      hasRepository: options.publisher !== undefined,
      waitsForCommit: true,
      compose: (parts) => statusOf(loaded, { converged, health, standing, ...parts }, options),
      // The resourceVersion prevents that a delayed write resets a record.
      ...(kind.record && { at: { resourceVersion: resource.metadata.resourceVersion } }),
    },
    options,
  );
  const isBrief = !(verdict instanceof SpecInvalidError) && verdict?.isBrief === true;
  const isPassing = isBrief && outcome.state === "applied" && isNothingNew(resource);
  return {
    report: isPassing ? { ...report, change: undefined } : report,
    publish,
    ...(memory && { memory }),
  };
}

/** Whether the status describes the current spec, or there is no status yet. */
function isNothingNew({ metadata, status }: CustomResource): boolean {
  return status === undefined || (status as EngineStatus).observedGeneration === metadata.generation;
}

export interface StatusParts extends Pick<StatusInput, "health" | "publish" | "standing" | "nowIso"> {
  readonly converged: Pick<ConvergedKind, "outcome" | "expired">;
}

/** The state of the source, for the conditions. Undefined: the resource has no source. */
export function standingIn(
  { resource, sourced }: Loaded,
  {
    converged,
    isJudged,
  }: { readonly converged: Pick<ConvergedKind, "outcome" | "desired">; readonly isJudged: boolean },
  { kind, clock }: Pick<ReportKindOptions, "kind" | "clock">,
): KindSourceStanding | undefined {
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

/** The status. If the kind's function fails, its fields stay, and the resource is not healthy. */
export function statusOf(
  { resource, observed, sourced }: Loaded,
  { converged: { outcome, expired }, ...parts }: StatusParts,
  { kind, kindClock }: Pick<ReportKindOptions, "kind" | "kindClock">,
): ResourceStatus {
  const context = kindClock && contextOf(kind, resource, { clock: kindClock, source: sourced?.state });
  const described = callFunction("status", kind, () => kind.status(resource, observed, context));
  const isInvalid = described instanceof SpecInvalidError;
  const own = isInvalid ? ownFieldsOf(resource) : described;
  const status = composeStatus({
    ...parts,
    ...(isInvalid && { health: invalid(described) }),
    resource,
    kindStatus: context === undefined ? own : { ...own, ...context.record },
    applied: outcome,
    expired,
    // The conditions of a kind with a record may be a history, so keep their order.
    keepsOrder: kind.record !== undefined,
  });
  return withAppliedGeneration(resource, status);
}

/** The fields and conditions of the kind in the status. composeStatus() ignores the conditions of the engine. */
function ownFieldsOf({ status }: CustomResource): Readonly<Record<string, unknown>> {
  const {
    observedGeneration: _observed,
    appliedGeneration: _applied,
    published: _published,
    ...own
  } = (status ?? {}) as ResourceStatus;
  return own;
}

/** The health of a resource that its kind could not describe. */
function invalid({ message }: SpecInvalidError): Health {
  return { status: "Failed", reason: "SpecInvalid", message, isInvalid: true };
}

/**
 * The health from the kind's own assessment, or that of an expired resource; or why the kind could not assess it. Undefined: the
 * health of the objects counts.
 */
export function verdictOf(
  { expired }: Pick<ConvergedKind, "expired">,
  { resource, observed, sourced }: Loaded,
  { kind, kindClock }: Pick<ReportKindOptions, "kind" | "kindClock">,
): Verdict | SpecInvalidError | undefined {
  if (expired !== undefined) return { status: "Suspended", message: expired };
  const { verdict } = kind;
  if (verdict === undefined || kindClock === undefined) return undefined;
  const given = contextOf(kind, resource, { clock: kindClock, source: sourced?.state });
  return callFunction("verdict", kind, () => verdict({ resource, observed, ...given }));
}

/** The health of the objects, and the memory for the next run. The health is Failed after the kind's timeout, if there is one. */
function assessInTime(
  desired: DesiredSet,
  loaded: Loaded,
  options: ReportKindOptions,
): { readonly health: Health; readonly memory?: KindMemory } {
  const health = assess(desired, loaded, options);
  const { resource, memory } = loaded;
  if (memory === undefined) return { health };
  const timeout = timeoutOf(resource, options.kind);
  if (timeout === undefined) return { health };
  const nowMs = options.clock.wallClock().getTime();
  return timeHealth(health, { resource, memory, digest: desired.digest, timeout, nowMs });
}

/** The health of the least healthy object. */
function assess(
  desired: DesiredSet,
  { observed }: Loaded,
  { kind, stores, clock }: ReportKindOptions,
): Health {
  const nowMs = clock.wallClock().getTime();
  const pods = kind.related
    .filter((related) => related.kind.kind === "Pod")
    .flatMap((related) => observed.list(related.kind));
  return assessObjects(desired, {
    liveOf: ({ kind: child, manifest }) => child && stores.children(child).get(keyOf(manifest)),
    assess: (live) => assessHealth(live, { nowMs, pods }),
  });
}

/**
 * Offers the set to the publisher if it is fully applied, so that the branch never contains objects that the cluster
 * rejected. Additions to objects of other owners are not published, so a kind without children publishes nothing.
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
