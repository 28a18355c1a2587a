import type { LiveObject } from "../../crds/object.ts";
import type { ObjectId } from "../../synth/manifest.ts";
import type { Decision } from "./decide-object.ts";
import type { PruneDecision } from "./decide-prune.ts";
import type { BlockedObject } from "./gates.ts";
import { describeId } from "./object-text.ts";
import { listNames } from "./outcome.ts";

/** The planned action for one object. */
export type StepVerb =
  /** The manifest is applied: as a new object, or to the existing one. */
  | "create"
  | "apply"
  /** Deleted and recreated. */
  | "replace"
  /** Fields are added to an object of another owner, or fields that were added before are removed. */
  | "extend"
  | "reduce"
  /** The finalizer that protects the outcome of a run is removed. */
  | "release"
  /** Not sent until the object of this name is deleted. */
  | "wait"
  /** Not sent until its gate opens. */
  | "hold"
  /** Not changed, although it differs or is not in the resource's set. */
  | "keep"
  | "prune";

/** One planned step and its reason, which is a part of a sentence for users. */
export interface StepReason {
  readonly does: StepVerb;
  readonly id: ObjectId;
  readonly reason: string;
}

/** Explains a decision about one object. Undefined: the object is up to date. Pure. */
export function explainDecision(id: ObjectId, decision: Decision | BlockedObject): StepReason | undefined {
  if ("on" in decision) return { does: "hold", id, reason: decision.message };
  switch (decision.does) {
    case "apply": {
      const { live, because } = decision.step;
      const does = live === undefined ? "create" : "apply";
      return { does, id, reason: reasonsToApply[because] ?? describeDrift(because) };
    }
    case "replace":
      return { does: "replace", id, reason: "an immutable field changed, so it is deleted and recreated" };
    case "wait":
      return { does: "wait", id, reason: describeLeavingObject(decision.live) };
    case "keep":
      return decision.because === undefined ? undefined : { does: "keep", id, reason: decision.because };
  }
}

/** Texts for the reasons of a {@link Decision}. Any other reason is the path of a field. */
const reasonsToApply: Readonly<Record<string, string | undefined>> = {
  absent: "it does not exist",
  foreign: "an object of this name exists and has another owner",
  adopt: "it exists and is to be adopted",
  digest: "its manifest changed",
};

function describeDrift(path: string): string {
  return path === "" ? "it was changed" : `${path} was changed`;
}

/** Why an object is kept although it differs. Pure. */
export function describeSettled(path: string): string {
  return `${path === "" ? "it" : path} differs from the manifest, and applying does not change it`;
}

/** Why a step waits for a terminating object. Pure. */
export function describeLeavingObject({ metadata }: LiveObject): string {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return "it belongs to a deleted resource of the same name";
  const held = finalizers.length === 0 ? "" : `, blocked by the finalizers (${listNames(finalizers)})`;
  return `deletion started at ${deletionTimestamp}${held}`;
}

/** Describes the decisions about objects that are no longer desired. Pure. */
export function explainPrune(
  { now, later, leaving, kept, held }: PruneDecision,
  why = "no longer desired",
): readonly StepReason[] {
  const first = [...leaving, ...now].map(({ id }) => describeId(id)).sort();
  return [
    ...(held?.objects ?? []).map(({ id }) => ({ does: "hold" as const, id, reason: heldReason })),
    ...now.map(({ id }) => ({ does: "prune" as const, id, reason: `it is ${why}` })),
    ...leaving.map(({ id, live }) => ({ does: "wait" as const, id, reason: describeLeavingObject(live) })),
    ...later.map(({ id }) => {
      return { does: "hold" as const, id, reason: `it is ${why}, and is deleted after ${listNames(first)}` };
    }),
    ...kept.map(({ id, why: how }) => ({ does: "keep" as const, id, reason: `it is ${why}, but ${how}` })),
  ];
}

const heldReason = "its deletion needs approval";
