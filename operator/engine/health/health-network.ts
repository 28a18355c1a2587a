import type { LiveObject } from "../../../crds/object.ts";
import { parseUntrusted } from "../json-shape.ts";
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

/** Maximum wait, from the creation, for a status that may never be reported: an address, or a volume before its first pod. */
const reportGraceMs = 60_000;

/** Grace period for a failing connection to metrics or to an aggregated API, because a component may be starting. */
const connectionGraceMs = 120_000;

/** The conditions of an `autoscaling/v1` autoscaler, as a JSON list: its status has none. */
const autoscalerConditions = "autoscaling.alpha.kubernetes.io/conditions";

/**
 * Assesses a Service. The wait for a load balancer's address is limited: many clusters have no controller that assigns one,
 * and the Service works inside the cluster without it.
 */
export function assessService(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  if (specOf(live)["type"] !== "LoadBalancer") return current("");
  return assessAddress(live, nowMs);
}

/** Assesses an Ingress. The wait for an address is limited, because a controller may never publish one. */
export function assessIngress(
  live: LiveObject,
  { nowMs, awaitsAddress = true }: AssessHealthOptions,
): Health {
  return assessAddress(live, awaitsAddress ? nowMs : Number.POSITIVE_INFINITY);
}

function assessAddress(live: LiveObject, nowMs: number): Health {
  const addresses = toFields(statusOf(live)["loadBalancer"])["ingress"];
  const [first] = Array.isArray(addresses) ? addresses.map(toFields) : [];
  if (first !== undefined) return current(`reachable at ${text(first["ip"]) || text(first["hostname"])}`);
  const leftMs = remainingMs(live.metadata.creationTimestamp, reportGraceMs, nowMs);
  if (leftMs > 0) return inProgress("NoAddress", "has no external address yet", leftMs);
  return current("it has no external address");
}

/**
 * Assesses a PersistentVolumeClaim. A claim that waits for its first pod cannot be distinguished from one that is never
 * provisioned. Both are Current after a while, because a pod that cannot start without its claim reports that.
 */
export function assessClaim(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  const phase = statusOf(live)["phase"];
  if (phase === "Bound") return current("bound");
  if (phase === "Lost") return failed("VolumeLost", "its volume no longer exists");
  const leftMs = remainingMs(live.metadata.creationTimestamp, reportGraceMs, nowMs);
  if (leftMs > 0) return inProgress("Pending", "has no volume yet", leftMs);
  return current("its volume is bound with its first pod");
}

/** Assesses an autoscaler. It is Failed if its target does not exist, or if metrics are missing for a while. */
export function assessAutoscaler(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  const isV1 = live.apiVersion === "autoscaling/v1";
  const observed = isV1 ? withAnnotatedConditions(live) : live;
  const able = findCondition(observed, "AbleToScale");
  if (able === undefined) {
    if (isV1 && reportsReplicas(live)) return current("");
    return inProgress("Unobserved", "its controller has not observed it yet");
  }
  if (able.status === "False" && /^Failed(Get|Update)Scale$/.test(able.reason ?? "")) {
    return failed(able.reason ?? "", able.message ?? "cannot scale its target");
  }
  const active = findCondition(observed, "ScalingActive");
  if (active?.status !== "False") return current("");
  if (active.reason === "ScalingDisabled") return current("its target is scaled to zero");
  return lastingFailure(active, nowMs, "has no metrics");
}

/** An autoscaler of version v1 with the conditions of its annotation in its status, as in version v2. */
function withAnnotatedConditions(live: LiveObject): LiveObject {
  const conditions = readConditions(live.metadata.annotations?.[autoscalerConditions]);
  return { ...live, status: { ...statusOf(live), conditions } };
}

/** Parses a JSON list of conditions. Usually the API server has written it, but a user who may change the object can write any text. */
function readConditions(annotation: string | undefined): readonly object[] {
  if (annotation === undefined) return [];
  try {
    const conditions = parseUntrusted(annotation);
    return Array.isArray(conditions) ? conditions.map(textsIn) : [];
  } catch {
    return [];
  }
}

function textsIn(value: unknown): object {
  return Object.fromEntries(Object.entries(toFields(value)).filter(([, field]) => typeof field === "string"));
}

/** Whether the status contains an observation. In version v1, the API server adds zeros to a status that is not set. */
function reportsReplicas(live: LiveObject): boolean {
  const status = statusOf(live);
  return status["observedGeneration"] !== undefined || count(status, "currentReplicas") > 0;
}

/** Assesses an APIService. The aggregated API must be available. */
export function assessApiService(live: LiveObject, { nowMs }: AssessHealthOptions): Health {
  const available = findCondition(live, "Available");
  if (available === undefined) return inProgress("Unobserved", "it has not been checked yet");
  return available.status === "True" ? current("") : lastingFailure(available, nowMs, "does not respond");
}

/** Assesses a PodDisruptionBudget. It is Failed only if it cannot be computed, not if it allows no disruption at the moment. */
export function assessDisruptionBudget(live: LiveObject): Health {
  const allowed = findCondition(live, "DisruptionAllowed");
  if (allowed?.reason === "SyncFailed") return failed("SyncFailed", allowed.message ?? "cannot be computed");
  return current("");
}

/** Assesses a CRD. It must be served under its names. */
export function assessDefinition(live: LiveObject): Health {
  const names = findCondition(live, "NamesAccepted");
  if (names?.status === "False")
    return failed(names.reason ?? "NamesRefused", names.message ?? "its names are in use");
  const established = findCondition(live, "Established");
  if (established?.status === "True") return current("established");
  const isInstalling = established === undefined || established.reason === "Installing";
  const message = established?.message ?? "is being installed";
  return isInstalling
    ? inProgress("Installing", message)
    : failed(established.reason ?? "NotEstablished", message);
}

function lastingFailure(
  {
    reason = "Unavailable",
    message,
    lastTransitionTime,
  }: { readonly reason?: string; readonly message?: string; readonly lastTransitionTime?: string },
  nowMs: number,
  otherwise: string,
): Health {
  const leftMs = remainingMs(lastTransitionTime, connectionGraceMs, nowMs);
  return leftMs > 0 ? inProgress(reason, message ?? otherwise, leftMs) : failed(reason, message ?? otherwise);
}
