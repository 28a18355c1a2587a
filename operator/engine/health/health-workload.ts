import type { LiveObject } from "../../../crds/object.ts";
import type { AssessHealthOptions, Health } from "./health.ts";
import {
  count,
  current,
  failed,
  findCondition,
  inProgress,
  isUnobserved,
  plural,
  specOf,
  statusOf,
  suspended,
  text,
  toFields,
} from "./health-fields.ts";
import { describeUnscheduled, findProblem } from "./health-pod.ts";

/**
 * Assesses a Deployment. All pods must be updated and available, and no old pods may remain. It is Failed after its progress
 * deadline. The message is the same for all steps of one pod in a rollout, to save writes of the status.
 */
export function assessDeployment(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const [spec, status] = [specOf(live), statusOf(live)];
  const wanted = count(spec, "replicas", 1);
  const updated = count(status, "updatedReplicas");
  const ready = Math.min(updated, count(status, "availableReplicas"));
  const progress = `${ready} of ${plural(wanted, "pod")} up to date and available`;
  if (isUnseen(live)) return inProgress("Unobserved", progress);

  const progressing = findCondition(live, "Progressing");
  if (progressing?.status === "False" && progressing.reason === "ProgressDeadlineExceeded") {
    const why = findCause(live, pods);
    return failed("DeadlineExceeded", because(`${progress}, and its progress deadline has passed`, why));
  }
  if (spec["paused"] === true) return suspended(`its rollout is paused, ${progress}`);
  if (ready < wanted) {
    const problem = findProblem(live, pods);
    // After a rollout has succeeded once, the progress deadline does not apply, so it does not report a later crash.
    const isRolledOut = progressing?.reason === "NewReplicaSetAvailable" && updated >= wanted;
    return isRolledOut && problem !== undefined
      ? failed(problem.reason, because(progress, problem.message))
      : heldUp(updated < wanted ? "Updating" : "Unavailable", progress, findCause(live, pods));
  }
  const surplus = count(status, "replicas") - updated;
  if (surplus > 0) return inProgress("Updating", `${plural(surplus, "old pod")} to be deleted`);
  return current(`${plural(wanted, "pod")} available`);
}

/** Assesses a ReplicaSet. It has no progress deadline, so it is Failed at once if a quota or a policy rejects its pods. */
export function assessReplicaSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const status = statusOf(live);
  const wanted = count(specOf(live), "replicas", 1);
  const available = count(status, "availableReplicas");
  const progress = `${available} of ${plural(wanted, "pod")} available`;
  if (isUnseen(live)) return inProgress("Unobserved", progress);
  const refused = findCondition(live, "ReplicaFailure");
  if (refused?.status === "True") {
    return failed(refused.reason ?? "ReplicaFailure", because(progress, refused.message));
  }
  if (available < wanted) {
    return heldUp("Unavailable", progress, findCause(live, pods));
  }
  const surplus = count(status, "replicas") - wanted;
  if (surplus > 0) return inProgress("ScalingDown", `${plural(surplus, "pod")} to be deleted`);
  return current(`${plural(wanted, "pod")} available`);
}

/** Assesses a StatefulSet. All pods must be ready, and those above the partition updated. With `OnDelete`, users update the pods. */
export function assessStatefulSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const [spec, status] = [specOf(live), statusOf(live)];
  const wanted = count(spec, "replicas", 1);
  const ready = Math.min(count(status, "readyReplicas"), count(status, "availableReplicas", wanted));
  const progress = `${ready} of ${plural(wanted, "pod")} ready`;
  if (isUnseen(live)) return inProgress("Unobserved", progress);
  if (ready < wanted) {
    return heldUp("Unavailable", progress, findCause(live, pods));
  }
  const surplus = count(status, "replicas") - wanted;
  if (surplus > 0) return inProgress("ScalingDown", `${plural(surplus, "pod")} to be deleted`);
  const strategy = toFields(spec["updateStrategy"]);
  const toUpdate = Math.max(0, wanted - count(toFields(strategy["rollingUpdate"]), "partition"));
  const updated = isAllUpdated(status) ? toUpdate : count(status, "updatedReplicas");
  if (strategy["type"] !== "OnDelete" && updated < toUpdate) {
    return inProgress("Updating", `${updated} of ${plural(toUpdate, "pod")} updated`);
  }
  return current(`${plural(wanted, "pod")} ready`);
}

/** Assesses a DaemonSet. Every selected node must have one pod that is updated and available. */
export function assessDaemonSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const status = statusOf(live);
  if (isUnseen(live)) return inProgress("Unobserved", "its controller has not observed the change yet");
  const wanted = count(status, "desiredNumberScheduled");
  const isOnDelete = toFields(specOf(live)["updateStrategy"])["type"] === "OnDelete";
  const updated = isOnDelete ? wanted : count(status, "updatedNumberScheduled");
  const ready = Math.min(updated, count(status, "numberAvailable"));
  if (ready < wanted) {
    const progress = `up to date and available on ${ready} of ${plural(wanted, "node")}`;
    return heldUp("Updating", progress, findCause(live, pods));
  }
  return current(`available on ${plural(wanted, "node")}`);
}

function isAllUpdated(status: Readonly<Record<string, unknown>>): boolean {
  const revision = text(status["updateRevision"]);
  return revision !== "" && revision === status["currentRevision"];
}

/** Whether the controller has not observed the newest spec. Controllers of these kinds always set `observedGeneration`. */
function isUnseen(live: LiveObject): boolean {
  return isUnobserved(live) || statusOf(live)["observedGeneration"] === undefined;
}

function heldUp(reason: string, progress: string, cause: string | undefined): Health {
  const health = inProgress(reason, because(progress, cause));
  return cause === undefined || cause === "" ? health : { ...health, cause };
}

function because(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? what : `${what}; ${why}`;
}

/** The known cause of missing pods. */
function findCause(live: LiveObject, pods: AssessHealthOptions["pods"]): string | undefined {
  const refused = findCondition(live, "ReplicaFailure")?.message;
  return findProblem(live, pods)?.message ?? refused ?? describeUnscheduled(live, pods);
}
