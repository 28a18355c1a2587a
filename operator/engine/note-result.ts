import type { LiveObject } from "../../crds/object.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import type { StepResult } from "./apply.ts";
import { isRepair } from "./apply-result.ts";
import { findDrift } from "./covers.ts";
import type { ShapeOf } from "./field-shape.ts";
import type { SettledObjects } from "./settled.ts";

/** A change that causes an event: the action, the object, and the reason. */
export interface Change {
  readonly done: "Adopted" | "Extended" | "FieldsKept" | "Pruned" | "Reduced" | "Replaced" | "Restored";
  readonly live: LiveObject;
  readonly why: string;
}

export interface NoteOptions {
  /** Existing objects that a read found when the operator tried to create them. They may not be in the local copies. */
  readonly claimed: Map<ObjectId, LiveObject>;
  readonly changes: Change[];
  readonly settled: SettledObjects;
  readonly shapeOf: ShapeOf;
  /** The adopting resource, for users: `this resource's`. */
  readonly whose: string;
}

/** Records the result of one step for the next pass, for the next reconcile and for events. */
export function noteResult(
  { step, live, was, wasLost }: StepResult,
  { claimed, changes, settled, shapeOf, whose }: NoteOptions,
): void {
  if (was !== "applied") {
    claimed.set(idOf(live), live);
    if (was === "adopted")
      changes.push({ done: "Adopted", live, why: `it already existed, and is now ${whose}` });
    return;
  }
  claimed.delete(idOf(live));
  // If the response still lacks fields, a second apply would not add them.
  if (findDrift(step.manifest, live, shapeOf) !== undefined) settled.remember(live);
  if (isRepair(step, live)) changes.push({ done: "Restored", live, why: `${step.because} was changed` });
  else if (wasLost) changes.push({ done: "Restored", live, why: "it was deleted" });
}
