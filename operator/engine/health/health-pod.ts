import type { LiveObject } from "../../../crds/object.ts";
import { type LabelSelector, matchesSelector } from "../label-selector.ts";
import type { AssessHealthOptions, Health } from "./health.ts";
import {
  count,
  current,
  failed,
  findCondition,
  inProgress,
  remainingMs,
  specOf,
  statusOf,
  text,
  toFields,
} from "./health-fields.ts";

/** Grace period for an unschedulable pod: the scheduler may find a node, or an autoscaler may add one. */
const unschedulableGraceMs = 15_000;

interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** Assesses a Pod. One that succeeded is Current, and one that failed is Failed. A running one must be ready. */
export function assessPod(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  const status = statusOf(live);
  const problem = findPodProblem(live);
  switch (status["phase"]) {
    case "Succeeded":
      return current("completed");
    case "Failed": {
      const reason = text(status["reason"]) || problem?.reason || "PodFailed";
      return failed(reason, text(status["message"]) || problem?.message || "ended with an error");
    }
    default:
  }
  if (problem !== undefined) return failed(problem.reason, problem.message);
  const ready = findCondition(live, "Ready");
  if (status["phase"] === "Running" && ready?.status === "True") return current("ready");
  return assessStarting(live, nowMs);
}

function assessStarting(live: LiveObject, nowMs: number): Health {
  const scheduled = findCondition(live, "PodScheduled");
  if (scheduled?.status === "False") {
    const message = `no node can run it: ${scheduled.message ?? scheduled.reason ?? "unknown"}`;
    if (scheduled.reason !== "Unschedulable") return inProgress(scheduled.reason ?? "Pending", message);
    const leftMs = remainingMs(scheduled.lastTransitionTime, unschedulableGraceMs, nowMs);
    return leftMs > 0 ? inProgress("Unschedulable", message, leftMs) : failed("Unschedulable", message);
  }
  const containers = containerStatuses(live, "containerStatuses");
  const ready = containers.filter((container) => container["ready"] === true).length;
  if (containers.length < 2) return inProgress("Pending", "is not ready yet");
  return inProgress("Pending", `${ready} of ${containers.length} containers ready`);
}

/**
 * The problem of the first failing container of a pod. The text does not change while the kubelet retries: a container that
 * crashes alternates between running, terminated and backing off, and one whose image is missing alternates between two
 * reasons.
 */
export function findPodProblem(pod: LiveObject): Problem | undefined {
  for (const field of ["initContainerStatuses", "containerStatuses"]) {
    for (const container of containerStatuses(pod, field)) {
      const problem = findContainerProblem(container);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** The first problem of the pods that a workload selects, sorted by name. */
export function findProblem(workload: LiveObject, pods: readonly LiveObject[] = []): Problem | undefined {
  return findFirst(workload, pods, findPodProblem);
}

/** The reason why no node can run the first pending pod of a workload. It may be temporary, so it is not a failure. */
export function describeUnscheduled(
  workload: LiveObject,
  pods: readonly LiveObject[] = [],
): string | undefined {
  return findFirst(workload, pods, (pod) => {
    const scheduled = findCondition(pod, "PodScheduled");
    if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
    // Leave out the preemption attempts of the scheduler.
    const [why] = (scheduled.message ?? "").split(/\.? preemption:/);
    return `no node can run pod ${pod.metadata.name}: ${why || "unknown"}`;
  });
}

function findFirst<Found>(
  workload: LiveObject,
  pods: readonly LiveObject[],
  look: (pod: LiveObject) => Found | undefined,
): Found | undefined {
  const selector = specOf(workload)["selector"] as LabelSelector | undefined;
  if (selector === undefined) return undefined;
  let first: { readonly name: string; readonly found: Found } | undefined;
  for (const pod of pods) {
    const { name, labels = {}, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || !matchesSelector(selector, labels)) continue;
    if (first !== undefined && first.name < name) continue;
    const found = look(pod);
    if (found !== undefined) first = { name, found };
  }
  return first?.found;
}

const imageReasons: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff"]);
const waitingProblem = /^Err|Error$|BackOff$|^InvalidImageName$/;

function findContainerProblem(container: Readonly<Record<string, unknown>>): Problem | undefined {
  if (container["ready"] === true) return undefined;
  const name = `container ${text(container["name"])}`;
  const state = toFields(container["state"]);
  const waiting = toFields(state["waiting"]);
  const reason = text(waiting["reason"]);
  if (imageReasons.has(reason)) {
    return { reason: "ImagePullBackOff", message: `${name}: its image cannot be pulled (ImagePullBackOff)` };
  }
  const crash = findCrash(container);
  if (crash !== undefined) {
    const cause = text(crash["reason"]) || "Error";
    const message = `${name} crashes repeatedly: ${cause}, exit code ${count(crash, "exitCode")}`;
    return { reason: cause === "OOMKilled" ? cause : "CrashLoopBackOff", message };
  }
  if (!waitingProblem.test(reason)) return undefined;
  const why = text(waiting["message"]);
  return { reason, message: `${name} cannot start: ${reason}${why === "" ? "" : ` (${why})`}` };
}

/** How a container failed, if its last run failed. */
function findCrash(
  container: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const now = toFields(container["state"])["terminated"];
  const before = toFields(container["lastState"])["terminated"];
  const ended = toFields(now ?? before);
  return count(ended, "exitCode") === 0 ? undefined : ended;
}

function containerStatuses(pod: LiveObject, field: string): readonly Readonly<Record<string, unknown>>[] {
  const statuses = statusOf(pod)[field];
  return Array.isArray(statuses) ? statuses.map(toFields) : [];
}
