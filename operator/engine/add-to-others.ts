import type { LiveObject } from "../../crds/object.ts";
import { type Addition, idOf, type ObjectId } from "../../synth/manifest.ts";
import { ReplacedError } from "../errors.ts";
import type { Stores } from "../ports.ts";
import { type AddOptions, add } from "./add.ts";
import type { Change } from "./note-result.ts";
import { holdStep, planExtension } from "./plan-extension.ts";
import type { StepReason } from "./reasons.ts";
import { removeFields } from "./remove-fields.ts";
import type { Target } from "./subject.ts";

export interface AddToOthersOptions
  extends Pick<AddOptions, "cluster" | "settled" | "shapeOf" | "refusals" | "count"> {
  readonly related: Stores["related"];
  readonly changes: Change[];
  /** Receives the steps that were sent. */
  readonly steps: StepReason[];
  /** Receives the steps that were not sent, or failed. */
  readonly held: StepReason[];
  /** Receives each failure of {@link add}, except for objects that were deleted in the meantime. */
  readonly errors: unknown[];
}

/**
 * Updates the fields that a resource sets in objects of other owners: removes those that are no longer desired, and adds
 * missing ones.
 *
 * @returns The number of objects that have all additions.
 * @throws The first failure of {@link removeFields} or {@link add}.
 */
export async function addToOthers(
  { resource, desired }: Target,
  options: AddToOthersOptions,
): Promise<number> {
  const { related, changes, steps, held, errors, count } = options;
  const { set, removals = [] } = desired;
  const { additions, reasons } = planExtension({ desired, ...options });
  const planned = new Map<ObjectId, StepReason>(reasons.map((reason) => [reason.id, reason]));
  const take = (id: ObjectId): StepReason[] => {
    const step = planned.get(id);
    planned.delete(id);
    return step === undefined ? [] : [step];
  };
  const fail = ({ manifest }: Addition, error: unknown): void => {
    if (!(error instanceof ReplacedError)) errors.push(error);
    const reason = error instanceof Error ? error.message : String(error);
    held.push(...take(idOf(manifest)).map(({ id }) => ({ does: "hold" as const, id, reason })));
  };
  const parts = { ...options, stores: { related }, onFailed: fail };
  try {
    await removeFields(removals, {
      ...parts,
      onRemoved: (live) => {
        count("updated", 1);
        steps.push(...take(idOf(live)));
        changes.push({ done: "Reduced", live, why: "removed the fields that were set before" });
      },
      onKept: (live, { message }) => {
        held.push(...take(idOf(live)).map(({ id }) => ({ does: "keep" as const, id, reason: message })));
        changes.push({ done: "FieldsKept", live, why: message });
      },
    });
    return await add(additions, {
      ...parts,
      loaded: { resource, set },
      onAdded: (live, addition) => {
        steps.push(...take(idOf(live)));
        changes.push(...describeExtension(live, addition));
      },
    });
  } finally {
    held.push(...[...planned.values()].map((step) => holdStep(step, "it is sent in a later run")));
  }
}

/** A later change of fields that the resource has set before is an edit, and edits are not reported. */
function describeExtension(
  live: LiveObject,
  { subresource, fields = [], fieldManager }: Addition,
): readonly Change[] {
  if (subresource !== undefined) return [{ done: "Extended", live, why: `added to its ${subresource}` }];
  if (live.addedFields?.[fieldManager] !== undefined) return [];
  return [{ done: "Extended", live, why: `set ${fields.join(" and ")}` }];
}
