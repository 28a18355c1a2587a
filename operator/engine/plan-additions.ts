import type { LiveObject } from "../../crds/object.ts";
import type { Addition } from "../../synth/manifest.ts";
import { findDrift } from "./covers.ts";
import type { ApplyStep } from "./decide-object.ts";
import { ownsExactly } from "./owned-fields.ts";

/** An addition that must be sent, and the object that it is meant for as it was seen. */
export interface AdditionStep extends ApplyStep {
  readonly addition: Addition;
  readonly live: LiveObject;
}

/** What one reconcile adds to objects that the resource does not own. Additions of objects that are gone, or are going, are in neither list. */
export interface AdditionPlan {
  readonly apply: readonly AdditionStep[];
  /** Already there: no request. */
  readonly keep: readonly LiveObject[];
}

export interface PlanAdditionsInput {
  readonly additions: readonly Addition[];
  /** The object that an addition is meant for, if the local copies hold it. */
  readonly observed: (addition: Addition) => LiveObject | undefined;
  /** Whether this was tried on exactly this object and changed nothing. */
  readonly isSettled: (live: LiveObject, addition: Addition) => boolean;
}

/** Decides what must be added, and to which objects. Pure. */
export function planAdditions({ additions, observed, isSettled }: PlanAdditionsInput): AdditionPlan {
  const apply: AdditionStep[] = [];
  const keep: LiveObject[] = [];
  for (const addition of additions) {
    const live = observed(addition);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) continue;
    const { manifest } = addition;
    const because = findLack(live, addition);
    if (because === undefined || isSettled(live, addition)) keep.push(live);
    else {
      const guard = { mode: "update", uid: live.metadata.uid } as const;
      apply.push({ addition, kind: addition.kind, manifest, guard, live, because });
    }
  }
  return { apply, keep };
}

/**
 * What an object lacks of an addition: the path of the first field with another value, or `owner`, where only the fields that
 * the manager has are others. Undefined: nothing. Pure.
 */
export function findLack(live: LiveObject, addition: Addition): string | undefined {
  const drift = findDrift(addition.manifest, live);
  if (drift !== undefined || addition.fields === undefined) return drift;
  return ownsExactly(live, addition) ? undefined : "owner";
}
