import type { ResourceStatus } from "../../engine/status.ts";
import type { Clock } from "../../ports.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";
import { releaseParkingMs } from "./release-status.ts";

/**
 * Returns how much longer a new status is withheld, in milliseconds; 0: write it now. One that will change without an edit is
 * written only after a moment, because most Releases are ready by then, and again only after another.
 */
export function withholdStatus(
  release: Pick<LoadedRelease, "resource" | "memory">,
  {
    status,
    isNew,
    ended,
  }: { readonly status: ResourceStatus; readonly isNew: boolean; readonly ended: EndedRun },
  clock: Clock,
): number {
  const { resource, memory } = release;
  if (!isNew) {
    memory.parkedSinceMs = undefined;
    return 0;
  }
  if (!isOnItsWay(status, ended)) return 0;
  const nowMs = clock.now();
  memory.parkedSinceMs ??= nowMs;
  return Math.max(0, memory.parkedSinceMs + parkingMs(resource, status, memory) - nowMs);
}

/** Takes note that a status was written. */
export function noteWritten(
  { memory }: Pick<LoadedRelease, "memory">,
  { status, ended }: { readonly status: ResourceStatus; readonly ended: EndedRun },
  clock: Clock,
): void {
  memory.progressTold = isOnItsWay(status, ended);
  memory.parkedSinceMs = memory.progressTold ? clock.now() : undefined;
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

/** Whether the status will change by itself, without an action of the user. */
function isOnItsWay({ conditions = [] }: ResourceStatus, { outcome, error }: EndedRun): boolean {
  if (error !== undefined || outcome.state === "refused" || outcome.state === "unsourced") return false;
  if (outcome.state === "pending") return true;
  return conditions.some(
    ({ type, status }) =>
      (type === "Reconciling" && status === "True") || (type === "Published" && status === "Unknown"),
  );
}
