import { Release, type ReleaseStatus } from "../../../crds/release.ts";
import { announceStatus } from "../../engine/announce.ts";
import type { Health } from "../../engine/health/health.ts";
import type { OutageNotices } from "../../engine/outage-notices.ts";
import type { ResourceStatus } from "../../engine/status.ts";
import { statusPatch } from "../../engine/status-patch.ts";
import type { Clock, Cluster, EventRecorder, Logger, ObjectStore } from "../../ports.ts";
import { announceDeployment } from "./announce-deployment.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import { releaseParkingMs } from "./release-status.ts";

export interface WriteReleaseStatusOptions {
  readonly cluster: Pick<Cluster, "patchStatus">;
  readonly releases: ObjectStore;
  readonly events: EventRecorder;
  readonly outages: OutageNotices;
  /** Puts keys into the queue. */
  readonly wake: (keys: Iterable<string>) => void;
  readonly dependents: { of(key: string): Iterable<string> };
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes the status if it is another one than is there: one patch. What is on its way is told only after a moment, because
 * most of it is there by then, and again only after another.
 *
 * @returns How much longer it is kept back, in milliseconds; undefined: it is written, or there is nothing to write.
 */
export async function writeUnlessParked(
  { key, resource, memory }: LoadedRelease,
  {
    status,
    ended,
    health,
  }: { readonly status: ResourceStatus; readonly ended: EndedRun; readonly health: Health | undefined },
  options: WriteReleaseStatusOptions,
): Promise<number | undefined> {
  const { cluster, releases, clock, wake, dependents } = options;
  const patch = statusPatch(resource.status, status);
  if (patch === undefined) {
    memory.parkedSinceMs = undefined;
    return undefined;
  }
  const nowMs = clock.now();
  const onItsWay = isOnItsWay(status, ended);
  if (onItsWay) {
    memory.parkedSinceMs ??= nowMs;
    const leftMs = memory.parkedSinceMs + parkingMs(resource, status, memory) - nowMs;
    if (leftMs > 0) return leftMs;
  }
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  // The version guards the inventory: a late write must not take away what a successor has recorded.
  const ref = { kind: Release, namespace, name };
  const live = await cluster.patchStatus(ref, uid, patch, { resourceVersion });
  memory.parkedSinceMs = onItsWay ? nowMs : undefined;
  memory.progressTold = onItsWay;
  if (live === undefined) return undefined;
  releases.written(live);
  // Our own writes are silent, and some wait for this Release.
  wake(dependents.of(key));
  announceStatus(
    { status, cause: health?.cause },
    { resource },
    { ...options, kind: { warnings: () => [] } },
  );
  announceDeployment({ before: resource.status, after: status as Partial<ReleaseStatus> }, resource, options);
  return undefined;
}

/** How far it is on the way is told again only now and then: each step of a rollout would be a write. */
const progressMs = 10_000;

function parkingMs(
  { status: before }: LoadedRelease["resource"],
  { attempted, observedGeneration }: ResourceStatus,
  { progressTold }: LoadedRelease["memory"],
): number {
  const isSame = before?.attempted === attempted && before?.observedGeneration === observedGeneration;
  return isSame && progressTold === true ? progressMs : releaseParkingMs;
}

/** How a run ended, as far as that matters here. */
interface EndedRun {
  readonly outcome: ReleaseOutcome;
  readonly error?: unknown;
}

/** Whether the status will be another one by itself, and nobody needs to do anything. */
function isOnItsWay({ conditions = [] }: ResourceStatus, { outcome, error }: EndedRun): boolean {
  if (error !== undefined || outcome.state === "refused" || outcome.state === "unsourced") return false;
  if (outcome.state === "pending") return true;
  return conditions.some(
    ({ type, status }) =>
      (type === "Reconciling" && status === "True") || (type === "Published" && status === "Unknown"),
  );
}
