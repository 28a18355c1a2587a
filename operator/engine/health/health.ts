import { groupOf, type LiveObject } from "../../../crds/object.ts";
import { assessByConditions } from "./health-generic.ts";
import { assessCronJob, assessJob } from "./health-job.ts";
import {
  assessApiService,
  assessAutoscaler,
  assessClaim,
  assessDefinition,
  assessDisruptionBudget,
  assessIngress,
  assessService,
} from "./health-network.ts";
import { assessPod } from "./health-pod.ts";
import { assessDaemonSet, assessDeployment, assessReplicaSet, assessStatefulSet } from "./health-workload.ts";

/** `Suspended`: stopped on request. `NotFound`: desired but does not exist. */
export type HealthStatus = "Current" | "InProgress" | "Failed" | "Suspended" | "Terminating" | "NotFound";

/** The health of an object. */
export interface Health {
  readonly status: HealthStatus;
  /** The cause in PascalCase, such as `DeadlineExceeded`. */
  readonly reason: string;
  /**
   * For users. It contains no elapsed times, so that it changes only after an event. May be empty if the object is healthy.
   */
  readonly message: string;
  /** Whether it is unknown because a function of the kind failed: `SpecInvalid`. */
  readonly isInvalid?: true;
  /** The known cause of a delay, in words that are part of the message. */
  readonly cause?: string;
  /** The health may change without an event: check again after this number of milliseconds. */
  readonly recheckAfterMs?: number;
}

/** Whether an object is healthy, or stopped on request. */
export function countsAsHealthy({ status }: Pick<Health, "status">): boolean {
  return status === "Current" || status === "Suspended";
}

export interface AssessHealthOptions {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
  /** Pods of a workload, if they are known. They may explain why it makes no progress. */
  readonly pods?: readonly LiveObject[];
  /** Whether to wait a while for the address of an Ingress. Default: true. */
  readonly awaitsAddress?: boolean;
}

type HealthRule = (live: LiveObject, options: AssessHealthOptions) => Health;

const rules: ReadonlyMap<string, HealthRule> = new Map<string, HealthRule>([
  ["/PersistentVolumeClaim", assessClaim],
  ["/Pod", assessPod],
  ["/Service", assessService],
  ["apiextensions.k8s.io/CustomResourceDefinition", assessDefinition],
  ["apiregistration.k8s.io/APIService", assessApiService],
  ["apps/DaemonSet", assessDaemonSet],
  ["apps/Deployment", assessDeployment],
  ["apps/ReplicaSet", assessReplicaSet],
  ["apps/StatefulSet", assessStatefulSet],
  ["autoscaling/HorizontalPodAutoscaler", assessAutoscaler],
  ["batch/CronJob", assessCronJob],
  ["batch/Job", assessJob],
  ["networking.k8s.io/Ingress", assessIngress],
  ["policy/PodDisruptionBudget", assessDisruptionBudget],
]);

/**
 * Assesses the health of one live object; undefined: it does not exist. The health of an object in progress changes after an
 * event, or after `recheckAfterMs`. Pure.
 */
export function assessHealth(live: LiveObject | undefined, options: AssessHealthOptions): Health {
  if (live === undefined) return { status: "NotFound", reason: "NotFound", message: "does not exist" };
  if (live.metadata.deletionTimestamp !== undefined) {
    return { status: "Terminating", reason: "Terminating", message: "is being deleted" };
  }
  const rule = rules.get(`${groupOf(live.apiVersion)}/${live.kind}`) ?? assessByConditions;
  return rule(live, options);
}
