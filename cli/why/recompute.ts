import type { CustomResource, LiveObject } from "../../crds/object.ts";
import type { DesiredSet } from "../../operator/engine/desired-set.ts";
import type { ShapeOf } from "../../operator/engine/field-shape.ts";
import type { Health } from "../../operator/engine/health/health.ts";
import { inOrder } from "../../operator/engine/in-order.ts";
import { describeId } from "../../operator/engine/object-text.ts";
import { decideOwnership } from "../../operator/engine/ownership.ts";
import { type PlannedStep, planChanges } from "../../operator/engine/plan.ts";
import { describeSettled } from "../../operator/engine/reasons.ts";
import { ApiUnavailableError, type ForeignOwner, ObjectRejectedError } from "../../operator/errors.ts";
import { type ObjectId, stamps } from "../../synth/manifest.ts";
import { changeOf } from "../release/diff/change.ts";
import type { DryCluster } from "../release/diff/compare-release.ts";
import { describeMissingRight } from "./missing-rights.ts";
import { inNamespace, type PasteableCommands } from "./remedies.ts";
import type { WhyStep } from "./why-report.ts";

export interface RecomputeInput {
  readonly resource: CustomResource;
  readonly desired: DesiredSet;
  readonly cluster: DryCluster;
  readonly assess: (live: LiveObject) => Health;
  readonly shapeOf: ShapeOf;
  readonly commands: Pick<PasteableCommands, "kubectl">;
  /** `status.inventory.finished`: Jobs that are not recreated. */
  readonly finished?: readonly string[] | undefined;
}

export interface Recomputed {
  readonly steps: readonly WhyStep[];
  readonly next: readonly string[];
  readonly unknown: readonly string[];
  /** Objects that the user may not read. */
  readonly unread: number;
}

/**
 * Makes the same plan as the operator, from the objects that the user may read, and sends it as dry runs. Objects that
 * the API server would not change are kept.
 */
export async function recompute(input: RecomputeInput): Promise<Recomputed> {
  const { resource, desired, cluster, assess, shapeOf, finished } = input;
  const live = new Map<ObjectId, LiveObject>();
  const unknown: string[] = [];
  const unread = new Set<ObjectId>();
  await inOrder(desired.objects, async ({ id, kind, manifest: { metadata } }) => {
    if (kind === undefined) return;
    try {
      const found = await cluster.read({ kind, name: metadata.name, namespace: metadata.namespace });
      if (found !== undefined) live.set(id, found);
    } catch (error) {
      unread.add(id);
      unknown.push(describeMissingRight(error, `Cannot read ${describeId(id)}`));
    }
  });
  const plan = planChanges({
    resource,
    desired: { ...desired, objects: desired.objects.filter(({ id }) => !unread.has(id)) },
    observed: ({ id }) => live.get(id),
    watch: () => ({ hasSynced: true, refusal: undefined }),
    isSettled: () => false,
    shapeOf,
    assess,
    finished,
  });
  const tried = await inOrder(plan.apply.flat(), (step) => tryStep(step, input, unknown));
  const outcomes = new Map(tried.map((one) => [one.id, one]));
  const steps = plan.reasons.map((reason): WhyStep => {
    const outcome = outcomes.get(reason.id);
    return outcome === undefined || outcome.step === "planned" ? reason : outcome.step;
  });
  return { steps, next: tried.flatMap(({ next = [] }) => next), unknown, unread: unread.size };
}

interface Tried {
  readonly id: ObjectId;
  /** `planned`: the step of the plan. */
  readonly step: WhyStep | "planned";
  readonly next?: readonly string[];
}

async function tryStep(
  { object: { id }, kind, manifest, guard, live, because }: PlannedStep,
  { resource, desired, cluster, commands }: RecomputeInput,
  unknown: string[],
): Promise<Tried> {
  if (because === "foreign" && live !== undefined) {
    const ownership = decideOwnership(live, resource, desired.set);
    const owner = ownership.whose === "foreign" ? ownership.owner : { name: "another owner" };
    const reason = `it belongs to ${owner.name}, so it is not changed`;
    const next = owner.heldBy === undefined ? handOver(live, resource, commands) : removeFromOwner(id, owner);
    return { id, step: { does: "hold", id, reason }, next: [next] };
  }
  try {
    const after = await cluster.apply(kind, manifest, guard);
    const isSame = live !== undefined && changeOf({ id, before: live, after }).action === "unchanged";
    if (!isSame || because === "adopt" || because === "digest") return { id, step: "planned" };
    return { id, step: { does: "keep", id, reason: describeSettled(because) } };
  } catch (error) {
    if (error instanceof ObjectRejectedError) {
      const reason = `the API server rejects it: ${error.message}`;
      return { id, step: { does: "refused", id, reason } };
    }
    // For example because of a namespace of the same set.
    if (error instanceof ApiUnavailableError && error.status === 404) return { id, step: "planned" };
    unknown.push(describeMissingRight(error, `Cannot try to apply ${describeId(id)}`));
    return { id, step: "planned" };
  }
}

/** An annotation does not hand over an object that has another controller or is of another set. */
function removeFromOwner(id: ObjectId, { name }: ForeignOwner): string {
  return `remove ${describeId(id)} from ${name}, or rename yours (docs/conditions.md)`;
}

function handOver(
  live: LiveObject,
  { kind, metadata }: CustomResource,
  { kubectl }: Pick<PasteableCommands, "kubectl">,
): string {
  const { name, namespace } = live.metadata;
  const isNear = metadata.namespace === undefined || metadata.namespace === namespace;
  const owner = isNear ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const annotation = `${stamps.adoptBy}=${kind.toLowerCase()}/${owner}`;
  const command = kubectl("annotate", live.kind.toLowerCase(), name, ...inNamespace(namespace), annotation);
  return `${command}   # or delete or rename it`;
}
