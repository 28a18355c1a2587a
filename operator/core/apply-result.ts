import {
  AlreadyThereError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
} from "../errors.ts";
import type { ApplyStep } from "./plan.ts";

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

/** Applied because somebody changed the live object, not because we want something else. */
export function isRepair({ live, because }: ApplyStep): boolean {
  return live !== undefined && !["digest", "foreign", "adopt"].includes(because);
}

/** What an apply was that succeeded. `wasLost`: the object had been there, and somebody deleted it. Pure. */
export function resultOfStep(step: ApplyStep, { wasLost }: { readonly wasLost: boolean }): ApplyResult {
  if (isRepair(step) || wasLost) return "restored";
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
