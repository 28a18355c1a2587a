import type { Reason } from "../../../crds/conditions.ts";
import { groupOf, type LiveObject } from "../../../crds/object.ts";
import { isBuiltInGroup } from "../built-in-group.ts";
import type { AssessHealthOptions, Health } from "./health.ts";
import {
  current,
  failed,
  findCondition,
  inProgress,
  isUnobserved,
  remainingMs,
  statusOf,
  suspended,
} from "./health-fields.ts";

/** Longest wait for the first status of a custom resource, from its creation. */
const firstReportGraceMs = 60_000;

const notReportedYet =
  "no controller has written its status yet; it counts as healthy without one a minute after it was created";

/** A custom resource that is not ready for this time counts as failed, even if its controller never sets `Stalled`. */
const notReadyGraceMs = 600_000;

/**
 * Reasons of a resource that waits for another one, such as its Pipeline, to start it or to release its new inputs. A
 * resource that contains it does not wait for it.
 */
const waitsForStart: ReadonlySet<string> = new Set<Reason>(["PinPending", "DigestMismatch"]);

/**
 * Assesses kinds without rules of their own, like kstatus of cli-utils: by generation, `Reconciling`, `Stalled` and `Ready`.
 * There are two differences: `Ready=False` fails after a while, and an object that no controller has observed yet is not
 * Current at once.
 */
export function assessByConditions(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  const [stalled, ready] = [findCondition(live, "Stalled"), findCondition(live, "Ready")];
  if (ready?.status === "False" && waitsForStart.has(ready.reason ?? "") && !isUnobserved(live))
    return suspended(ready.message || "has not been started yet");
  if (stalled?.status === "True") return failed(stalled.reason || "Stalled", stalled.message || "is stalled");
  if (isUnobserved(live)) return inProgress("Unobserved", "its controller has not observed the change yet");
  const reconciling = findCondition(live, "Reconciling");
  if (reconciling?.status === "True") {
    return inProgress(reconciling.reason || "Reconciling", reconciling.message || "is being reconciled");
  }
  if (ready?.status === "True") return current("ready");
  if (ready?.status === "False") {
    const [reason, message] = [ready.reason || "NotReady", ready.message || "is not ready"];
    const leftMs = remainingMs(ready.lastTransitionTime, notReadyGraceMs, nowMs);
    return leftMs > 0 ? inProgress(reason, message, leftMs) : failed(reason, message);
  }
  if (ready !== undefined) return inProgress(ready.reason || "NotReady", ready.message || "is not ready yet");
  return assessUnreported(live, nowMs);
}

/** Assesses an object without conditions. Many kinds have no status, and built-in objects are complete once they are stored. */
function assessUnreported(live: LiveObject, nowMs: number): Health {
  const isReported = Object.keys(statusOf(live)).length > 0;
  if (isReported || isBuiltInGroup(groupOf(live.apiVersion))) return current("");
  const leftMs = remainingMs(live.metadata.creationTimestamp, firstReportGraceMs, nowMs);
  if (leftMs > 0) return inProgress("Unobserved", notReportedYet, leftMs);
  return current("no controller reports its status");
}
