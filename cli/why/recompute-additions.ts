import { type CustomResource, keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import { removalsOf } from "../../operator/desire/chart/removals.ts";
import { addedManagersOf } from "../../operator/engine/added-index.ts";
import type { ShapeOf } from "../../operator/engine/field-shape.ts";
import { inOrder } from "../../operator/engine/in-order.ts";
import { describeId } from "../../operator/engine/object-text.ts";
import { type AdditionStep, planAdditions, planRemovals } from "../../operator/engine/plan-additions.ts";
import { describeSettled } from "../../operator/engine/reasons.ts";
import { ApiUnavailableError, ObjectRejectedError, ReplacedError } from "../../operator/errors.ts";
import type { Cluster } from "../../operator/ports.ts";
import { type Addition, idOf, type ObjectId } from "../../synth/manifest.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { ApiClient } from "../release/api-client.ts";
import { changeOf } from "../release/diff/change.ts";
import { describeMissingRight } from "./missing-rights.ts";
import type { WantedAdditions, WhyStep } from "./why-report.ts";

export interface RecomputeAdditionsInput {
  readonly additions: readonly Addition[];
  /** Additions without fields: they remove the fields that the resource has set in these objects. */
  readonly removals: readonly { readonly removal: Addition; readonly live: LiveObject }[];
  /** Additions are dry runs. */
  readonly cluster: Pick<Cluster, "read" | "add">;
  readonly shapeOf: ShapeOf;
}

export interface RecomputedAdditions {
  /** Undefined: the resource adds nothing to objects of other owners, and has added nothing. */
  readonly additions: WantedAdditions | undefined;
  readonly unknown: readonly string[];
}

/**
 * Plans the additions of the operator to objects of other owners, from the objects that the user may read, and sends
 * them as dry runs.
 */
export async function recomputeAdditions(input: RecomputeAdditionsInput): Promise<RecomputedAdditions> {
  const { additions, removals, cluster, shapeOf } = input;
  if (additions.length + removals.length === 0) return { additions: undefined, unknown: [] };
  const live = new Map<ObjectId, LiveObject>();
  const unread = new Set<ObjectId>();
  const unknown: string[] = [];
  await inOrder(additions, async ({ kind, manifest }) => {
    const { name, namespace } = manifest.metadata;
    const id = idOf(manifest);
    try {
      const found = await cluster.read({ kind, name, namespace });
      if (found !== undefined) live.set(id, found);
    } catch (error) {
      unread.add(id);
      unknown.push(describeMissingRight(error, `Cannot read ${describeId(id)}`));
    }
  });
  const isSettled = (): boolean => false;
  const plan = planAdditions({
    additions: additions.filter(({ manifest }) => !unread.has(idOf(manifest))),
    observed: ({ manifest }) => live.get(idOf(manifest)),
    isSettled,
    shapeOf,
  });
  const found = new Map(removals.map(({ removal, live: object }) => [removal, object]));
  const removed = planRemovals({
    removals: [...found.keys()],
    observed: (removal) => found.get(removal),
    isSettled,
  });
  const tried = await inOrder(plan.apply, (step) => tryAddition(step, cluster, unknown));
  const outcomes = new Map(tried.flatMap((step) => (step === undefined ? [] : [[step.id, step] as const])));
  const steps = plan.reasons.map((reason): WhyStep => outcomes.get(reason.id) ?? reason);
  const pending = steps.filter(({ does }) => does !== "keep").length;
  return {
    additions: {
      objects: additions.length,
      pending,
      unread: unread.size,
      steps: [...steps, ...removed.reasons],
    },
    unknown,
  };
}

/** Sends one addition as a dry run. @returns Undefined: it would succeed as planned, or that is unknown. */
async function tryAddition(
  { addition, live, because }: AdditionStep,
  cluster: RecomputeAdditionsInput["cluster"],
  unknown: string[],
): Promise<WhyStep | undefined> {
  const id = idOf(addition.manifest);
  try {
    const after = await cluster.add(addition, { uid: live.metadata.uid });
    const isSame = because !== "owner" && changeOf({ id, before: live, after }).action === "unchanged";
    return isSame ? { does: "keep", id, reason: describeSettled(because) } : undefined;
  } catch (error) {
    if (error instanceof ObjectRejectedError)
      return { does: "refused", id, reason: `the API server rejects it: ${error.message}` };
    const isGone = error instanceof ApiUnavailableError && error.status === 404;
    if (isGone || error instanceof ReplacedError) return undefined;
    unknown.push(describeMissingRight(error, `Cannot try to add to ${describeId(id)}`));
    return undefined;
  }
}

export interface FindRemovalsOptions {
  readonly binding: Pick<SynthesizableKind, "definition" | "related">;
  /** What the resource adds now. */
  readonly additions: readonly Addition[];
  readonly client: Pick<ApiClient, "list">;
}

/**
 * Finds objects of other owners in the resource's namespace in which the resource has set fields that it no longer
 * sets.
 */
export async function findRemovals(
  resource: CustomResource,
  { binding, additions, client }: FindRemovalsOptions,
): Promise<RecomputeAdditionsInput["removals"]> {
  const { namespace } = resource.metadata;
  const setting = binding.related.filter(({ fields }) => fields !== undefined);
  const lists = await inOrder(setting, async ({ kind }) => {
    const found = await client.list(kind, { namespace });
    return [kind, found.map((object) => toLiveObject(object))] as const;
  });
  const byKind = new Map<ObjectKind, readonly LiveObject[]>(lists);
  const stores = {
    related: (kind: ObjectKind) => ({
      byIndex: (_: string, manager: string) =>
        (byKind.get(kind) ?? []).filter((live) => addedManagersOf(live).includes(manager)),
    }),
  };
  return removalsOf(resource, additions, { kind: binding, stores }).flatMap((removal) => {
    const live = byKind.get(removal.kind)?.find((one) => keyOf(one) === keyOf(removal.manifest));
    return live === undefined ? [] : [{ removal, live }];
  });
}
