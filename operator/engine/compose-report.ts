import type { CustomResource } from "../../crds/object.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { Clock, PublishState, Random } from "../ports.ts";
import type { ApplyOutcome } from "./outcome.ts";
import type { Refusals } from "./refusals.ts";
import { noteProgress, type Progress, type Report, statusChange } from "./report.ts";
import { decideRequeue, parkedForMs } from "./requeue.ts";
import { type ResourceStatus, type StatusInput, timestampOf } from "./status.ts";

/**
 * A run whose objects were assessed and whose files were offered to the publisher. All sorts of resources share this part
 * of the report.
 */
export interface AssessedRun
  extends Pick<Report, "key" | "kind" | "changes" | "health" | "at" | "onWritten"> {
  /** See {@link asWorkedOn}. */
  readonly resource: CustomResource;
  readonly outcome: { readonly state: string };
  /** The failure that the outcome describes. */
  readonly error: unknown;
  /** All failures of the same stage. Default: only that one. */
  readonly errors?: readonly unknown[] | undefined;
  /** Result of the apply; `retry` if the run ended before it. */
  readonly applied: ApplyOutcome;
  /** Undefined: nothing was offered. */
  readonly publish: PublishState | undefined;
  readonly hasRepository: boolean;
  /** Whether the status waits a short time for its commit. Default: no. */
  readonly waitsForCommit?: boolean;
  compose(parts: Pick<StatusInput, "publish" | "nowIso">): ResourceStatus;
  /** Computes the delay of the next check. Called after `compose`, which may use the clock. */
  wakeUps(): WakeUps;
}

/** Times in milliseconds; undefined: an event requeues the resource. */
export interface WakeUps {
  /** Until the earliest instant that the kind has tested. */
  readonly instantInMs?: number | undefined;
  /** Maximum delay of a retry by the queue. */
  readonly retryWithinMs: number | undefined;
  readonly againAfterMs?: readonly (number | undefined)[];
}

export interface ComposeReportOptions {
  readonly refusals: Pick<Refusals, "retryAfterMs">;
  readonly progress?: Progress | undefined;
  readonly clock: Pick<Clock, "now" | "wallClock">;
  readonly random: Random;
}

/** Composes the status of a run, and decides when to reconcile again. All sorts of resources share it. */
export function composeReport(run: AssessedRun, options: ComposeReportOptions): Report {
  const { key, kind, resource, changes, health, at, onWritten, outcome, publish } = run;
  const { error, errors = [] } = run;
  const { refusals, progress, clock, random } = options;
  if (outcome.state === "applied")
    noteProgress(key, { generation: resource.metadata.generation, published: publish, progress });
  const commit = run.waitsForCommit === true ? publish : undefined;
  const isParked = parkedForMs(commit, clock.now()) > 0;
  const status = isParked
    ? undefined
    : run.compose({
        publish: publish ?? (run.hasRepository ? { state: "skipped" } : undefined),
        nowIso: timestampOf(clock.wallClock()),
      });
  const { instantInMs, retryWithinMs, againAfterMs = [] } = run.wakeUps();
  const requeueAfterMs = decideRequeue({
    applied: run.applied,
    refusedForMs: refusals.retryAfterMs(key),
    instantInMs,
    health,
    publish: commit,
    nowMs: clock.now(),
    jitter: random(),
  });
  const isFailed = outcome.state === "failed" || outcome.state === "deleting";
  return {
    ...{ key, kind, resource, changes, health },
    change: status && statusChange(resource, status),
    ...(at && { at }),
    ...(onWritten && { onWritten }),
    errors: [...new Set([error, ...errors])].filter((one) => one !== undefined),
    retried: isFailed ? error : errors.find(isTemporary),
    retryWithinMs,
    requeueAfterMs: [requeueAfterMs, ...againAfterMs],
  };
}

/** Whether a failed apply may succeed without an edit. The others are retried after a delay, see `refusedForMs`. Pure. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof ObjectRejectedError || error instanceof NotOwnedError);
}

/**
 * The current resource with the generation that was processed. Status and commit describe that generation. The next run,
 * which is queued already, processes a later edit. Pure.
 */
export function asWorkedOn<Resource extends Pick<CustomResource, "metadata">>(
  resource: Resource,
  generation: number | undefined,
): Resource {
  if (generation === undefined || resource.metadata.generation === generation) return resource;
  return { ...resource, metadata: { ...resource.metadata, generation } };
}
