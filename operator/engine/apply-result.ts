import type { LiveObject } from "../../crds/object.ts";
import {
  AlreadyThereError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
} from "../errors.ts";
import type { ApplyStep } from "./decide-object.ts";

/** Result of an apply that was sent, for metrics. */
export type ApplyResult =
  | "created"
  | "updated"
  /** A user had changed or deleted the object. */
  | "restored"
  | "adopted"
  | "rejected"
  | "not_owned"
  /** Another client changed the object first. The object is planned again. */
  | "conflict"
  | "error";

/** The result of a reconcile for an object. `kept`: no request was sent. */
export type ObjectAction = ApplyResult | "kept" | "pruned";

/**
 * Whether an apply reverted a change of the live object by another manager. If the server changed nothing, the local copy
 * lacked fields: a watch that was started before a change of the CRD drops the new fields. Pure.
 *
 * @param answer The object in the server's response to the apply.
 */
export function isRepair({ live, because }: ApplyStep, answer: LiveObject): boolean {
  if (live === undefined || ["digest", "foreign", "adopt"].includes(because)) return false;
  const [before, after] = [live.metadata, answer.metadata];
  // Other clients may write the status in the meantime, which changes the resourceVersion but not the generation.
  const isCounted = !because.startsWith("metadata") && before.generation !== undefined;
  return isCounted
    ? before.generation !== after.generation
    : before.resourceVersion !== after.resourceVersion;
}

/**
 * The result of a successful apply. Pure.
 *
 * @param options.answer The object in the server's response.
 * @param options.wasLost Another client had deleted the object.
 */
export function resultOfStep(
  step: ApplyStep,
  { answer, wasLost }: { readonly answer: LiveObject; readonly wasLost: boolean },
): ApplyResult {
  if (isRepair(step, answer) || wasLost) return "restored";
  if (step.because === "adopt") return "adopted";
  return step.guard.mode === "create" ? "created" : "updated";
}

/** The result of a failed apply; undefined: nothing was sent. Pure. */
export function resultOfFailure(error: unknown): ApplyResult | undefined {
  if (error instanceof NotLeadingError) return undefined;
  if (error instanceof ObjectRejectedError) return "rejected";
  if (error instanceof NotOwnedError) return "not_owned";
  if (error instanceof AlreadyThereError || error instanceof ReplacedError) return "conflict";
  return "error";
}
