import type { BoundKind } from "../../../crds/binding.ts";
import { toMilliseconds } from "../../../crds/duration.ts";
import type { CustomResource } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { type HealthTimeout, withTimeout } from "../../engine/health/assess-set.ts";
import { countsAsHealthy, type Health } from "../../engine/health/health.ts";
import { SpecInvalidError } from "../../errors.ts";

/** The memory about a resource whose kind has a timeout. It is lost at a restart. */
export interface KindMemory {
  readonly uid: string;
  /** Since when these objects are not healthy; undefined: they are healthy, or the time is not known. */
  readonly unhealthy: { readonly digest: string; readonly sinceMs: number } | undefined;
}

/** The longest time that the objects of a resource may be unhealthy. */
export type KindTimeout = Pick<HealthTimeout, "timeout" | "timeoutMs">;

/**
 * The timeout of a resource by its kind. Undefined: it has none.
 *
 * @throws SpecInvalidError if the kind does not return a duration.
 */
export function timeoutOf(
  resource: CustomResource,
  { policy }: Pick<BoundKind, "policy">,
): KindTimeout | undefined {
  if (policy.timeout === undefined) return undefined;
  let timeout: string | undefined;
  try {
    timeout = policy.timeout(resource);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SpecInvalidError(message, { cause: error });
  }
  if (timeout === undefined) return undefined;
  const timeoutMs = toMilliseconds(timeout);
  if (Number.isNaN(timeoutMs))
    throw new SpecInvalidError(`its timeout is no duration such as 5m: "${timeout}"`);
  return { timeout, timeoutMs };
}

export interface TimeHealthInput {
  readonly resource: CustomResource;
  readonly memory: KindMemory;
  /** Digest of the desired objects. For a new digest, the time starts now. */
  readonly digest: string;
  readonly timeout: KindTimeout;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/** The health of a resource, Failed at the end of its timeout, and its new memory. Pure. */
export function timeHealth(
  health: Health,
  { resource, memory, digest, timeout, nowMs }: TimeHealthInput,
): { readonly health: Health; readonly memory: KindMemory } {
  if (countsAsHealthy(health))
    return { health, memory: memory.unhealthy === undefined ? memory : { ...memory, unhealthy: undefined } };
  const known = memory.unhealthy;
  const failedMs = known === undefined ? failedSinceMs(resource) : undefined;
  const sinceMs = known?.digest === digest ? known.sinceMs : (failedMs ?? nowMs);
  return {
    health: withTimeout(health, { ...timeout, sinceMs, nowMs }),
    memory: known?.digest === digest ? memory : { ...memory, unhealthy: { digest, sinceMs } },
  };
}

/** Since when the resource has failed, from its status. It is used after a start, when the memory is empty. */
function failedSinceMs({ metadata, status }: CustomResource): number | undefined {
  const { conditions = [] } = (status ?? {}) as EngineStatus;
  const healthy = conditions.find(({ type }) => type === "Healthy");
  if (healthy?.reason !== "Failed" || healthy.observedGeneration !== metadata.generation) return undefined;
  return Date.parse(healthy.lastTransitionTime);
}
