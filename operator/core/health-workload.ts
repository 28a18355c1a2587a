import type { LiveObject } from "../../crds/object.ts";
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
import { findProblem } from "./health-pod.ts";

const unseen = inProgress("Unobserved", "its controller has not seen the change yet");

/** All pods updated, none left over, all available; Failed once the Deployment's own deadline passed. */
export function assessDeployment(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const [spec, status] = [specOf(live), statusOf(live)];
  if (isUnseen(live)) return unseen;
  const wanted = count(spec, "replicas", 1);
  const updated = count(status, "updatedReplicas");
  const available = count(status, "availableReplicas");
  const problem = findProblem(pods);
  const why = problem?.message ?? findCondition(live, "ReplicaFailure")?.message;
  const availability = `${available} of ${plural(wanted, "pod")} available`;

  const progressing = findCondition(live, "Progressing");
  if (progressing?.status === "False" && progressing.reason === "ProgressDeadlineExceeded") {
    return failed("DeadlineExceeded", because(`${availability}, and its progress deadline has passed`, why));
  }
  if (spec["paused"] === true) return suspended(`its rollout is paused, ${availability}`);
  if (updated < wanted)
    return inProgress("Updating", because(`${updated} of ${plural(wanted, "pod")} updated`, why));
  const surplus = count(status, "replicas") - updated;
  if (surplus > 0) return inProgress("Updating", `${plural(surplus, "old pod")} still to go`);
  if (available < wanted) {
    // The deadline no longer runs after a rollout has succeeded once: what crashes then will not be told by it.
    const isRolledOut = progressing?.reason === "NewReplicaSetAvailable";
    if (isRolledOut && problem !== undefined) return failed(problem.reason, because(availability, why));
    return inProgress("Unavailable", because(availability, why));
  }
  return current(`${plural(wanted, "pod")} available`);
}

/** A ReplicaSet has no deadline: a refusal to make pods (a quota, a policy) is Failed at once. */
export function assessReplicaSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const status = statusOf(live);
  if (isUnseen(live)) return unseen;
  const wanted = count(specOf(live), "replicas", 1);
  const available = count(status, "availableReplicas");
  const availability = `${available} of ${plural(wanted, "pod")} available`;
  const refused = findCondition(live, "ReplicaFailure");
  if (refused?.status === "True") {
    return failed(refused.reason ?? "ReplicaFailure", because(availability, refused.message));
  }
  if (available < wanted) return inProgress("Unavailable", because(availability, findProblem(pods)?.message));
  const surplus = count(status, "replicas") - wanted;
  if (surplus > 0) return inProgress("ScalingDown", `${plural(surplus, "pod")} still to go`);
  return current(`${plural(wanted, "pod")} available`);
}

/** All pods ready, and as many updated as the partition asks. With `OnDelete`, people decide when pods are updated. */
export function assessStatefulSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const [spec, status] = [specOf(live), statusOf(live)];
  if (isUnseen(live)) return unseen;
  const wanted = count(spec, "replicas", 1);
  const ready = Math.min(count(status, "readyReplicas"), count(status, "availableReplicas", wanted));
  const strategy = toFields(spec["updateStrategy"]);
  const partition = count(toFields(strategy["rollingUpdate"]), "partition");
  if (ready < wanted) {
    return inProgress(
      "Unavailable",
      because(`${ready} of ${plural(wanted, "pod")} ready`, findProblem(pods)?.message),
    );
  }
  const surplus = count(status, "replicas") - wanted;
  if (surplus > 0) return inProgress("ScalingDown", `${plural(surplus, "pod")} still to go`);
  const toUpdate = Math.max(0, wanted - partition);
  const updated = isAllUpdated(status) ? toUpdate : count(status, "updatedReplicas");
  if (strategy["type"] !== "OnDelete" && updated < toUpdate) {
    return inProgress("Updating", `${updated} of ${plural(toUpdate, "pod")} updated`);
  }
  return current(`${plural(wanted, "pod")} ready`);
}

/** One pod on every node that it is for, updated and available. */
export function assessDaemonSet(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const status = statusOf(live);
  if (isUnseen(live)) return unseen;
  const wanted = count(status, "desiredNumberScheduled");
  const updated = count(status, "updatedNumberScheduled");
  const available = count(status, "numberAvailable");
  const why = findProblem(pods)?.message;
  if (toFields(specOf(live)["updateStrategy"])["type"] !== "OnDelete" && updated < wanted) {
    return inProgress("Updating", because(`updated on ${updated} of ${plural(wanted, "node")}`, why));
  }
  if (available < wanted) {
    return inProgress("Unavailable", because(`available on ${available} of ${plural(wanted, "node")}`, why));
  }
  return current(`available on ${plural(wanted, "node")}`);
}

function isAllUpdated(status: Readonly<Record<string, unknown>>): boolean {
  const revision = text(status["updateRevision"]);
  return revision !== "" && revision === status["currentRevision"];
}

/** These kinds always report which generation they saw: a status without it was not written by their controller. */
function isUnseen(live: LiveObject): boolean {
  return isUnobserved(live) || statusOf(live)["observedGeneration"] === undefined;
}

function because(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? what : `${what}; ${why}`;
}
