import type { CustomResource, LiveObject, ObjectKind } from "../../crds/object.ts";
import { kindIn, type ObjectId, type ObjectKindId } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { AtVersion, Cluster, ObjectStore, PublishState, ReconcileResult } from "../ports.ts";
import { type AnnounceOptions, announceChanges, announceStatus } from "./announce.ts";
import type { Health } from "./health/health.ts";
import type { Change } from "./note-result.ts";
import { soonest } from "./requeue.ts";
import type { ResourceStatus } from "./status.ts";
import { statusPatch } from "./status-patch.ts";
import { writeStatus } from "./write-status.ts";

/** The report of one run of a resource. */
export interface Report {
  readonly key: string;
  readonly kind: ObjectKind;
  /** The current resource, with the generation that was processed. The next run processes a later edit. */
  readonly resource: CustomResource;
  readonly changes: readonly Change[];
  readonly health: Health | undefined;
  /** Undefined: this run does not write the status. */
  readonly change: StatusChange | undefined;
  /** The resourceVersion that the write may replace. Default: any. */
  readonly at?: AtVersion;
  /** Called after the status was written. */
  readonly onWritten?: (status: ResourceStatus) => void;
  /** The failures of the run. Each may have a cause that blocks the resource. */
  readonly errors: readonly unknown[];
  /** The failure because of which the queue retries the run with backoff. Undefined: it does not. */
  readonly retried: unknown;
  /** Maximum delay of the retry, in milliseconds. */
  readonly retryWithinMs?: number | undefined;
  /** Delays of the next reconcile, in milliseconds. The shortest one is used. */
  readonly requeueAfterMs: readonly (number | undefined)[];
}

/** A status that differs from the current one of a resource, and the merge patch between them. */
export interface StatusChange {
  readonly status: ResourceStatus;
  readonly patch: object;
}

/** The change from the status of a resource to another one; undefined: they are equal. Pure. */
export function statusChange(
  resource: Pick<CustomResource, "status">,
  status: ResourceStatus,
): StatusChange | undefined {
  const patch = statusPatch(resource.status, status);
  return patch && { status, patch };
}

export interface ReportOptions extends AnnounceOptions {
  readonly cluster: Pick<Cluster, "patchStatus">;
  /** The local copies of the resources. */
  readonly resources: Pick<ObjectStore, "written">;
  readonly onBlocked: OnBlocked;
  /** Queues a key. It is processed after this delay at the latest. */
  readonly wakeLater: (key: string, afterMs: number) => void;
  /** Called when a status is written, for example for metrics. */
  readonly onStatus?: OnStatus | undefined;
}

/** Receives a resource before and after its status was written. */
export type OnStatus = (before: CustomResource, now: LiveObject) => void;

/**
 * Reports a run: events about its changes, one status patch if the status changed, and the delay of the next reconcile.
 *
 * @param onWritten Called when the status is written, before {@link Report.onWritten}.
 * @throws The failure because of which the run is retried, after the status was written.
 */
export async function report(
  run: Report,
  options: ReportOptions,
  onWritten: () => void = () => undefined,
): Promise<ReconcileResult> {
  const { key, errors, retried, retryWithinMs, requeueAfterMs } = run;
  announceChanges(run.changes, run, options);
  for (const error of errors) noteBlocker(key, error, options.onBlocked);
  await writeChange(run, options, onWritten);
  if (retried !== undefined) {
    if (retryWithinMs !== undefined) options.wakeLater(key, Math.max(1, Math.ceil(retryWithinMs)));
    throw retried;
  }
  const delayMs = soonest(...requeueAfterMs);
  return delayMs === undefined ? {} : { requeueAfterMs: Math.max(1, Math.ceil(delayMs)) };
}

async function writeChange(run: Report, options: ReportOptions, onWritten: () => void): Promise<void> {
  const { kind, resource, change, health, at } = run;
  if (change === undefined) return;
  const { cluster, resources } = options;
  const { status, patch } = change;
  const live = await writeStatus(resource, patch, { kind, cluster, resources, at });
  // Create no events for a deleted resource.
  if (live === undefined) return;
  options.onStatus?.(resource, live);
  announceStatus({ status, cause: health?.cause }, { resource }, options);
  onWritten();
  run.onWritten?.(status);
}

/** Receives the progress of generations of resources, for metrics. */
export interface Progress {
  /** All objects of this generation are applied. */
  live(key: string, generation: number): void;
  /** The commit of this generation is on the branch. */
  committed(key: string, generation: number): void;
}

export interface NoteProgressOptions {
  readonly generation: number | undefined;
  readonly published: PublishState | undefined;
  readonly progress: Progress | undefined;
}

/** Reports that all objects of a generation are applied, and whether its commit is on the branch. */
export function noteProgress(
  key: string,
  { generation = 0, published, progress }: NoteProgressOptions,
): void {
  progress?.live(key, generation);
  if (published?.state === "published") progress?.committed(key, generation);
}

/** Called with the cause that blocks a resource: an object, or a kind, if an unknown object of it has a contested value. */
export type OnBlocked = (key: string, by: ObjectId | ObjectKindId) => void;

/** Records the cause that blocks a resource. It is retried when that object is deleted or its CRD changes. */
function noteBlocker(key: string, error: unknown, onBlocked: OnBlocked): void {
  if (error instanceof NotOwnedError) onBlocked(key, error.id);
  if (error instanceof ObjectRejectedError && (error.isContested || error.isBySchema))
    onBlocked(key, kindIn(error.id));
}
