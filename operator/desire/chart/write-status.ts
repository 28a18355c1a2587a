import type { BoundKind, Observed } from "../../../crds/binding.ts";
import type { KindClock } from "../../../crds/kind-context.ts";
import type { CustomResource } from "../../../crds/object.ts";
import { contextOf } from "../../../synth/record.ts";
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
  /** Why it is kept without objects. */
  readonly expired?: string | undefined;
}

export interface WriteStatusOptions {
  readonly kind: BoundKind;
  readonly cluster: Pick<Cluster, "patchStatus">;
  readonly stores: Stores;
  readonly clock: Clock;
  /** What the clock of its status is, for kinds that have a context. */
  readonly kindClock?: KindClock | undefined;
}

/**
 * Writes the status that tells about this reconcile: one patch, and none if it is there already.
 *
 * @returns The status that was written; undefined: nothing was new.
 */
export async function writeStatus(
  { resource, observed, applied, health, publish, expired }: WriteStatusInput,
  { kind, cluster, stores, clock, kindClock }: WriteStatusOptions,
): Promise<ResourceStatus | undefined> {
  const context = kindClock && contextOf(kind, resource, kindClock);
  const own = kind.status(resource, observed, context);
  const kindStatus = context === undefined ? own : { ...own, ...context.record };
  // The conditions of a run are its history.
  const keepsOrder = kind.record !== undefined;
  const nowIso = `${clock.wallClock().toISOString().slice(0, 19)}Z`;
  const next = composeStatus({ resource, kindStatus, applied, health, publish, expired, keepsOrder, nowIso });
  const patch = statusPatch(resource.status, next);
  if (patch === undefined) return undefined;
  const { name, namespace, uid, resourceVersion } = resource.metadata;
  // A record is never set back: not even by a write that reaches the server late.
  const at = kind.record === undefined ? {} : { resourceVersion };
  const live = await cluster.patchStatus({ kind: kind.definition, namespace, name }, uid, patch, at);
  if (live !== undefined) stores.resources(kind.definition).written(live);
  return next;
}
