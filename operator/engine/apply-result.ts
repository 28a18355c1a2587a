import type { LiveObject } from "../../crds/object.ts";
import {
  AlreadyThereError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
} from "../errors.ts";
import type { ApplyStep } from "./decide-object.ts";

/** How an apply that was sent ended, for those who count. */
export type ApplyResult =
  | "created"
  | "updated"
  /** Somebody had changed or deleted the object by hand. */
  | "restored"
  | "adopted"
  | "rejected"
  | "not_owned"
  /** Somebody was faster: it is looked at again. */
  | "conflict"
  | "error";

/** What a reconcile did with objects; kept ones cost no request. */
export type ObjectAction = ApplyResult | "kept" | "pruned";

/**
 * Whether an apply put back what somebody changed in the live object. It did not if the server changed nothing: then our
 * copy lacked fields, because a watch that is older than its kind's definition drops those that the definition got since. Pure.
 *
 * @param answer The object as the server answered the apply.
 */
export function isRepair({ live, because }: ApplyStep, answer: LiveObject): boolean {
  if (live === undefined || ["digest", "foreign", "adopt"].includes(because)) return false;
  const [before, after] = [live.metadata, answer.metadata];
  // Others write the status meanwhile, which moves the version alone.
  const isCounted = !because.startsWith("metadata") && before.generation !== undefined;
  return isCounted
    ? before.generation !== after.generation
    : before.resourceVersion !== after.resourceVersion;
}

/**
 * What an apply was that succeeded. Pure.
 *
 * @param options.answer The object as the server answered.
 * @param options.wasLost The object had been there, and somebody deleted it.
 */
export function resultOfStep(
  step: ApplyStep,
  { answer, wasLost }: { readonly answer: LiveObject; readonly wasLost: boolean },
): ApplyResult {
  if (isRepair(step, answer) || wasLost) return "restored";
  if (step.because === "adopt") return "adopted";
  return step.guard.mode === "create" ? "created" : "updated";
}

/** What an apply was that failed; undefined: nothing was sent. Pure. */
export function resultOfFailure(error: unknown): ApplyResult | undefined {
  if (error instanceof NotLeadingError) return undefined;
  if (error instanceof ObjectRejectedError) return "rejected";
  if (error instanceof NotOwnedError) return "not_owned";
  if (error instanceof AlreadyThereError || error instanceof ReplacedError) return "conflict";
  return "error";
}
