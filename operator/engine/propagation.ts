import type { LiveObject } from "../../crds/object.ts";
import type { Propagation } from "../ports.ts";
import { findCondition } from "./health/health-fields.ts";

/**
 * How an object is deleted that is recreated at once. Pure.
 *
 * A Job that has not ended keeps its name until its pods are gone: otherwise both would run for a while, and the Job
 * controller, which counts by name the pods that it has made and not seen yet, could wait for the old Job's last one
 * before it makes the first of the new one (seen with Kubernetes 1.37: nothing happened for as long as we looked, 7
 * minutes).
 */
export function propagationOfReplaced(live: LiveObject): Propagation {
  const isJob = live.kind === "Job" && live.apiVersion.startsWith("batch/");
  const hasEnded = ["Complete", "Failed"].some((type) => findCondition(live, type)?.status === "True");
  return isJob && !hasEnded ? "Foreground" : "Background";
}
