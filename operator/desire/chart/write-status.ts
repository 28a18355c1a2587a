import type { BoundKind, Observed } from "../../../crds/binding.ts";
import type { KindContext } from "../../../crds/kind-context.ts";
import type { CustomResource } from "../../../crds/object.ts";
import type { Health } from "../../engine/health/health.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";
import { composeStatus, type ResourceStatus, type StatusInput } from "../../engine/status.ts";
import { statusPatch } from "../../engine/status-patch.ts";
import type { Clock, Cluster, Stores } from "../../ports.ts";

export interface WriteStatusInput {
  readonly resource: CustomResource;
  readonly observed: Observed;
  readonly applied: ApplyOutcome;
  readonly health: Health | undefined;
  readonly publish: StatusInput["publish"];
}

export interface WriteStatusOptions {
  readonly kind: BoundKind;
  readonly cluster: Pick<Cluster, "patchStatus">;
  readonly stores: Stores;
  readonly clock: Clock;
  /** Undefined: the kind takes none. */
  readonly context?: KindContext | undefined;
}

/**
 * Writes the status that tells about this reconcile: one patch, and none if it is there already.
 *
 * @returns The status that was written; undefined: nothing was new.
 */
export async function writeStatus(
  { resource, observed, applied, health, publish }: WriteStatusInput,
  { kind, cluster, stores, clock, context }: WriteStatusOptions,
): Promise<ResourceStatus | undefined> {
  const kindStatus = kind.status(resource, observed, context);
  const nowIso = `${clock.wallClock().toISOString().slice(0, 19)}Z`;
  const next = composeStatus({ resource, kindStatus, applied, health, publish, nowIso });
  const patch = statusPatch(resource.status, next);
  if (patch === undefined) return undefined;
  const { name, namespace, uid } = resource.metadata;
  const live = await cluster.patchStatus({ kind: kind.definition, namespace, name }, uid, patch);
  if (live !== undefined) stores.resources(kind.definition).written(live);
  return next;
}
