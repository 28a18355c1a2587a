import type { LiveObject } from "../../../crds/object.ts";
import type { AssessHealthOptions, Health } from "./health.ts";
import {
  count,
  current,
  failed,
  findCondition,
  inProgress,
  specOf,
  statusOf,
  suspended,
  text,
} from "./health-fields.ts";
import { findProblem } from "./health-pod.ts";

/**
 * Assesses a Job. It is in progress until it ends. Its spec shows whether it is suspended; a condition `Suspended` may remain
 * after it has continued.
 */
export function assessJob(live: LiveObject, { pods }: AssessHealthOptions): Health {
  const [spec, status] = [specOf(live), statusOf(live)];
  const completions = typeof spec["completions"] === "number" ? spec["completions"] : undefined;
  const succeeded = count(status, "succeeded");
  if (findCondition(live, "Complete")?.status === "True") return current("completed");
  for (const type of ["Failed", "FailureTarget"]) {
    const condition = findCondition(live, type);
    if (condition?.status === "True") {
      return failed(condition.reason || "JobFailed", condition.message || "did not complete");
    }
  }
  if (spec["suspend"] === true) return suspended("is suspended");
  const progress =
    completions === undefined || completions === 1
      ? "has not completed yet"
      : `${succeeded} of ${completions} completed`;
  const problem = findProblem(live, pods)?.message ?? (hasNoPod(live, status) ? refusedPod(live) : undefined);
  return inProgress("Running", problem === undefined ? progress : `${progress}; ${problem}`);
}

/** Message of a Job whose pod was refused. Unlike that of a Deployment, the status of a Job has no field for this. */
function refusedPod({ metadata: { name, namespace } }: LiveObject): string {
  return (
    `it has no pod; its events say why (kubectl describe job ${name} -n ${namespace}), such as a quota or the Pod ` +
    "Security level of the namespace"
  );
}

/** Whether a Job has started, but none of its pods runs, terminates or has ended. */
function hasNoPod(live: LiveObject, status: Readonly<Record<string, unknown>>): boolean {
  const counters = ["active", "ready", "terminating", "succeeded", "failed"];
  const uncounted = Object.values((status["uncountedTerminatedPods"] as object | undefined) ?? {});
  return (
    status["startTime"] !== undefined &&
    specOf(live)["parallelism"] !== 0 &&
    counters.every((counter) => count(status, counter) === 0) &&
    uncounted.flat().length === 0
  );
}

/** Assesses a CronJob. It is Failed after a run that did not succeed, until another run succeeds. */
export function assessCronJob(live: LiveObject): Health {
  const status = statusOf(live);
  if (specOf(live)["suspend"] === true) return suspended("its schedule is suspended");
  const scheduled = Date.parse(text(status["lastScheduleTime"]));
  const succeeded = Date.parse(text(status["lastSuccessfulTime"]));
  const isRunning = Array.isArray(status["active"]) && status["active"].length > 0;
  if (isRunning) return current("a run is in progress");
  const isUnsuccessful = !Number.isNaN(scheduled) && !(succeeded >= scheduled);
  return isUnsuccessful ? failed("LastRunFailed", "its last run did not succeed") : current("scheduled");
}
