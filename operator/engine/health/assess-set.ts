import type { Condition } from "../../../crds/conditions.ts";
import type { LiveObject } from "../../../crds/object.ts";
import type { DesiredObject, DesiredSet } from "../desired-set.ts";
import { nameOfRun } from "../finished-jobs.ts";
import { countObjects } from "../object-text.ts";
import { aggregateHealth, type ChildHealth } from "./aggregate-health.ts";
import { countsAsHealthy, type Health } from "./health.ts";
import { remainingMs } from "./health-fields.ts";

export interface AssessObjectsInput {
  readonly liveOf: (object: DesiredObject) => LiveObject | undefined;
  readonly assess: (live: LiveObject | undefined) => Health;
  /** `status.inventory.finished`: Jobs that may have been deleted automatically. */
  readonly finished?: readonly string[] | undefined;
}

/** The health of a resource: that of its least healthy object. Pure. */
export function assessObjects(set: Pick<DesiredSet, "objects">, input: AssessObjectsInput): Health {
  return aggregateHealth(assessEach(set, input));
}

export interface AssessSetInput extends AssessObjectsInput, HealthTimeout {
  readonly prepared: Pick<DesiredSet, "objects">;
}

/** How long a resource may be unhealthy before it has failed. */
export interface HealthTimeout {
  /** Since when the resource is not healthy, milliseconds since 1970; see {@link unhealthySinceMs}. */
  readonly sinceMs: number;
  /** As in the spec: `5m`. */
  readonly timeout: string;
  readonly timeoutMs: number;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/** Like {@link assessObjects}, but Failed if the resource is not healthy at the end of its timeout. Pure. */
export function assessSet(input: AssessSetInput): Health {
  return assessChildren(assessEach(input.prepared, input), input);
}

/** The health of a resource from the health of each object; Failed if it is not healthy at the end of its timeout. Pure. */
export function assessChildren(children: readonly ChildHealth[], input: HealthTimeout): Health {
  const health = aggregateHealth(children);
  // Leave out the message of a healthy object. It may change, for example when an autoscaler adds pods, and cause a write.
  if (health.status === "Current" && children.length > 0)
    return { ...health, message: `${countObjects(children.length)} in place` };
  return withTimeout(health, input);
}

function assessEach(
  { objects }: Pick<DesiredSet, "objects">,
  { liveOf, assess, finished = [] }: AssessObjectsInput,
): readonly ChildHealth[] {
  const children: ChildHealth[] = [];
  for (const object of objects) {
    const live = liveOf(object);
    // The local copies may not contain a namespace that another client created.
    if (object.isEnsured && live === undefined) continue;
    if (live === undefined && finished.length > 0 && finished.includes(nameOfRun(object) ?? "")) continue;
    children.push({ child: live ?? object.manifest, health: assess(live) });
  }
  return children;
}

/** Changes a health that is in progress to Failed after the timeout. Before that, adds the delay of the next check. Pure. */
export function withTimeout(health: Health, { sinceMs, timeout, timeoutMs, nowMs }: HealthTimeout): Health {
  const { status, message, recheckAfterMs } = health;
  if (countsAsHealthy(health) || status === "Failed") return health;
  const leftMs = remainingMs(sinceMs, timeoutMs, nowMs);
  if (leftMs > 0) return { ...health, recheckAfterMs: Math.min(leftMs, recheckAfterMs ?? leftMs) };
  const text = `${message}; not healthy for longer than its timeout of ${timeout}`;
  return { ...health, status: "Failed", reason: "Timeout", message: text };
}

export interface UnhealthySinceInput {
  /** The values in the status. */
  readonly conditions: readonly Condition[] | undefined;
  /** When the desired set was fully applied, RFC 3339; undefined: it is not, or only in this run. */
  readonly deployedAt: string | undefined;
  /** Whether the status describes another commit than the assessed one. Default: false. */
  readonly isNew?: boolean;
  readonly nowMs: number;
}

/**
 * Since when a resource has not been healthy, in milliseconds since 1970. The time starts with the deployment, or, if the
 * resource is not fully applied yet, with the start of the deployment. Pure.
 */
export function unhealthySinceMs({ conditions, deployedAt, isNew, nowMs }: UnhealthySinceInput): number {
  const type = deployedAt === undefined ? "Applied" : "Healthy";
  const condition = conditions?.find((one) => one.type === type);
  if (isNew === true || condition?.status !== "False") return nowMs;
  const times = [condition.lastTransitionTime, deployedAt ?? ""]
    .map((time) => Date.parse(time))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? nowMs : Math.max(...times);
}
