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
  /** Another writer was faster: the object is planned again. */
  | "conflict"
  | "error";

/** The results of a reconcile for objects; kept ones cost no request. */
export type ObjectAction = ApplyResult | "kept" | "pruned";

/**
 * Whether an apply reverted a change of the live object by another manager. It did not if the server changed nothing:
 * then the local copy lacked fields, because a watch that is older than its kind's definition drops new fields of the
 * definition. Pure.
 *
 * @param answer The object as the server answered the apply.
 */
export function isRepair({ live, because }: ApplyStep, answer: LiveObject): boolean {
  if (live === undefined || ["digest", "foreign", "adopt"].includes(because)) return false;
  const [before, after] = [live.metadata, answer.metadata];
  // Others write the status in the meantime, which changes only the version.
  const isCounted = !because.startsWith("metadata") && before.generation !== undefined;
  return isCounted
    ? before.generation !== after.generation
    : before.resourceVersion !== after.resourceVersion;
}

/**
 * The result of a successful apply. Pure.
 *
 * @param options.answer The object as the server answered.
 * @param options.wasLost The object had existed, and another client deleted it.
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
