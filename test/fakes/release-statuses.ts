import type { Condition } from "../../crds/conditions.ts";
import type { ReleaseResource } from "../../crds/release.ts";
import {
  composeReleaseStatus,
  type ReleaseStatusInput,
} from "../../operator/desire/release/release-status.ts";
import { assessReleaseLoss } from "../../operator/desire/release/source-loss.ts";
import type { Health } from "../../operator/engine/health/health.ts";
import { aCommit, aRelease } from "./releases.ts";

export const healthy: Health = { status: "Current", reason: "Current", message: "4 objects in place" };

/** The input of the status of a ready Release. */
export function statusInput(more: Partial<ReleaseStatusInput> = {}): ReleaseStatusInput {
  const input: Omit<ReleaseStatusInput, "isSourceLost"> = {
    resource: aRelease(),
    outcome: { state: "applied", count: 4 },
    health: healthy,
    publish: undefined,
    source: { head: aCommit("b"), changed: aCommit("a") },
    digest: "d1",
    inventory: { entries: ["/ConfigMap/shop/web"], deployed: 1 },
    nowIso: "2026-11-21T12:00:00Z",
    ...more,
  };
  return {
    isSourceLost: assessReleaseLoss(input.resource, input, Date.parse(input.nowIso))?.isLost,
    ...input,
  };
}

/** A Release with this status. */
export const having = (status: unknown, generation = 1) =>
  aRelease({ generation, status: status as NonNullable<ReleaseResource["status"]> });
/** A deployed and ready Release. */
export const deployedRelease = having(composeReleaseStatus(statusInput()));

/** `Ready True Reconciled`, in the order of the status. */
export const conditionsOf = (status: { readonly conditions?: unknown }) =>
  ((status.conditions ?? []) as readonly Condition[]).map(
    ({ type, status: is, reason }) => `${type} ${is} ${reason}`,
  );
export const conditionOf = (status: { readonly conditions?: unknown }, type: string) =>
  ((status.conditions ?? []) as readonly Condition[]).find((condition) => condition.type === type);
