import { NotLeadingError } from "../../errors.ts";
import { GitError, isGitError, isKilled } from "../git-errors.ts";
import { redact, toMessageText } from "../redact.ts";
import type { Failure } from "./ledger-entry.ts";
import { type ErrorBody, errorBody, MESSAGE } from "./messages.ts";

/**
 * The failure to report for an error while a commit is pending; undefined: none, because the operator only may not push
 * at the moment. Pure.
 */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof NotLeadingError) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = isGitError(error, "RepositoryOwned", "PushRefused");
  return { reason: isKnown ? (error.reason as Failure["reason"]) : "RepositoryUnreachable", message };
}

/** Whether recreating the clone may help. Pure. */
export function isFaultOfClone(error: unknown): error is GitError {
  return isGitError(error, "CacheBroken", "ObjectFormat");
}

/** Whether an error has no external cause, and is therefore a defect of the operator. Pure. */
export function isUnexpected(error: unknown): boolean {
  const isKnown = isGitError(error, "RepositoryUnreachable", "RepositoryOwned", "PushRefused");
  return !isKnown && !isFaultOfClone(error) && !(error instanceof NotLeadingError);
}

/** The part of a zone's error that is sent to the operator, because users see it. Pure. */
export function describePublishError(error: unknown): ErrorBody {
  const said = error instanceof Error ? error.message : String(error);
  const reason = error instanceof GitError ? errorBody.shape.reason.safeParse(error.reason).data : undefined;
  return {
    reason: reason ?? "RepositoryUnreachable",
    message: toMessageText(redact(said, []), MESSAGE),
    killed: isKilled(error),
  };
}

/** The error for the body of an error answer. The zone's message is untrusted text. Pure. */
export function readPublishError(body: unknown): GitError {
  const { data } = errorBody.safeParse(body);
  if (data === undefined) {
    const message = "The process that commits and pushes failed; see its log";
    return new GitError("RepositoryUnreachable", message);
  }
  const message = redact(data.message, []);
  const isKilledThere = data.reason === "RepositoryUnreachable" && data.killed;
  const cause = isKilledThere ? { cause: new GitError("Killed", message) } : undefined;
  return new GitError(data.reason, message, cause);
}
