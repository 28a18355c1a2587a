import { groupOf, type LiveObject } from "../../../crds/object.ts";
import { findCondition } from "../../engine/health/health-fields.ts";

/** The health of a Release's objects, as observed by one run. */
export interface SeenHealth {
  /** Digest of the manifests whose objects were assessed. */
  readonly digest: string;
  readonly isHealthy: boolean;
  /** The objects became healthy at this time or later, RFC 3339. Undefined: the time is unknown. */
  readonly turnedAt: string | undefined;
}

/** The observation of a Release's objects by one run. */
export interface HealthLook {
  readonly isHealthy: boolean;
  /** Whether the status contains since when they have been healthy. */
  readonly isRecorded: boolean;
  readonly objects: readonly LiveObject[];
  /** Wall clock, RFC 3339. */
  readonly nowIso: string;
}

/** The last state of the objects of a Release in this process, and when they became healthy. */
export interface HealthTurn {
  readonly isHealthy: boolean;
  readonly turnedAt: string | undefined;
}

/**
 * Combines the current state of the objects with the last one in this process. The conditions are not sufficient: a status
 * may be withheld for a while, and an object may fail and recover in that time. Pure.
 *
 * @param before Undefined: this process has not observed the objects before.
 */
export function turnAfter(
  before: HealthTurn | undefined,
  { isHealthy, isRecorded, objects, nowIso }: HealthLook,
): HealthTurn {
  if (!isHealthy) return before?.isHealthy === false ? before : { isHealthy, turnedAt: undefined };
  if (before?.isHealthy === true) return before;
  // The objects were not observed before the first run. That time counts as healthy only if all workloads report since
  // when they are available.
  const isNew = before !== undefined || (isRecorded && objects.some(isSilent));
  return { isHealthy, turnedAt: isNew ? nowIso : undefined };
}

/** Workloads whose status does not contain since when they are available. */
const silentKinds: ReadonlySet<string> = new Set(["apps/DaemonSet", "apps/ReplicaSet", "apps/StatefulSet"]);

function isSilent({ apiVersion, kind }: LiveObject): boolean {
  return silentKinds.has(`${groupOf(apiVersion)}/${kind}`);
}

/** Since when an object has been available or ready, from its own status; undefined: unknown. Pure. */
export function availableSince(live: LiveObject): string | undefined {
  const condition = findCondition(live, "Available") ?? findCondition(live, "Ready");
  return condition?.status === "True" ? condition.lastTransitionTime : undefined;
}

/** The latest of several times, RFC 3339. Invalid ones are ignored. Undefined: there is none. Pure. */
export function latestOf(times: readonly (string | undefined)[]): string | undefined {
  let latest: string | undefined;
  for (const time of times) {
    if (time === undefined || Number.isNaN(Date.parse(time))) continue;
    if (latest === undefined || Date.parse(time) > Date.parse(latest)) latest = time;
  }
  return latest;
}
