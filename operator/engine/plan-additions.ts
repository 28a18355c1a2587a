import type { LiveObject } from "../../crds/object.ts";
import { type Addition, idOf } from "../../synth/manifest.ts";
import { findDrift } from "./covers.ts";
import type { ApplyStep } from "./decide-object.ts";
import type { ShapeOf } from "./field-shape.ts";
import { ownsExactly } from "./owned-fields.ts";
import { describeLeavingObject, describeSettled, type StepReason } from "./reasons.ts";

/** An addition that must be sent, and its observed target object. */
export interface AdditionStep extends ApplyStep {
  readonly addition: Addition;
  readonly live: LiveObject;
}

/**
 * Additions of one reconcile to objects that the resource does not own. A deleted or terminating object is in neither
 * list.
 */
export interface AdditionPlan {
  readonly apply: readonly AdditionStep[];
  /** Objects that have their additions already. No request is sent. */
  readonly keep: readonly LiveObject[];
  /** The reasons of all other additions. */
  readonly reasons: readonly StepReason[];
}

/** Objects in which one reconcile removes the fields that the resource has set. */
export interface RemovalPlan {
  readonly remove: readonly { readonly removal: Addition; readonly live: LiveObject }[];
  /** The reasons of all removals whose object exists. */
  readonly reasons: readonly StepReason[];
}

export interface SeenObjects {
  /** The target object of an addition, if the local copies contain it. */
  readonly observed: (addition: Addition) => LiveObject | undefined;
  /** Whether an apply to this version of the object changed nothing. */
  readonly isSettled: (live: LiveObject, addition: Addition) => boolean;
}

export interface PlanAdditionsInput extends SeenObjects {
  readonly additions: readonly Addition[];
  readonly shapeOf: ShapeOf;
}

/** Decides which additions must be sent. Pure. */
export function planAdditions({ additions, observed, isSettled, shapeOf }: PlanAdditionsInput): AdditionPlan {
  const apply: AdditionStep[] = [];
  const keep: LiveObject[] = [];
  const reasons: StepReason[] = [];
  for (const addition of additions) {
    const live = observed(addition);
    const { manifest } = addition;
    const id = idOf(manifest);
    const absence = describeAbsence(live);
    if (absence !== undefined) reasons.push({ does: "hold", id, reason: absence });
    if (live === undefined || absence !== undefined) continue;
    const because = findLack(live, addition, shapeOf);
    if (because === undefined) keep.push(live);
    else if (isSettled(live, addition)) {
      keep.push(live);
      reasons.push({ does: "keep", id, reason: describeSettled(because === "owner" ? "" : because) });
    } else {
      const guard = { mode: "update", uid: live.metadata.uid } as const;
      apply.push({ addition, kind: addition.kind, manifest, guard, live, because });
      reasons.push({ does: "extend", id, reason: describeLack(because) });
    }
  }
  return { apply, keep, reasons };
}

/** Decides in which objects fields must be removed that were set before. Pure. */
export function planRemovals({
  removals,
  observed,
  isSettled,
}: SeenObjects & { readonly removals: readonly Addition[] }): RemovalPlan {
  const remove: { readonly removal: Addition; readonly live: LiveObject }[] = [];
  const reasons: StepReason[] = [];
  for (const removal of removals) {
    const live = observed(removal);
    // The deletion of an object includes its fields.
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) continue;
    const id = idOf(removal.manifest);
    if (isSettled(live, removal))
      reasons.push({ does: "keep", id, reason: "the API server does not remove the fields that were set" });
    else {
      remove.push({ removal, live });
      reasons.push({ does: "reduce", id, reason: "the fields that were set before are no longer desired" });
    }
  }
  return { remove, reasons };
}

/** Why no addition to an object is possible at the moment; undefined: it is possible. */
function describeAbsence(live: LiveObject | undefined): string | undefined {
  if (live === undefined) return "it does not exist, so nothing is added to it";
  return live.metadata.deletionTimestamp === undefined ? undefined : describeLeavingObject(live);
}

/** Describes the result of {@link findLack}. */
function describeLack(because: string): string {
  if (because === "owner") return "the resource does not own exactly the fields that it sets";
  return `${because === "" ? "it" : because} is missing or has another value`;
}

/**
 * Finds the first difference between an object and an addition: the path of a field with another value, or `owner` if only
 * the owned fields differ. Undefined: there is none. Pure.
 */
export function findLack(live: LiveObject, addition: Addition, shapeOf: ShapeOf): string | undefined {
  const drift = findDrift(addition.manifest, live, shapeOf);
  if (drift !== undefined || addition.fields === undefined) return drift;
  return ownsExactly(live, addition) ? undefined : "owner";
}
