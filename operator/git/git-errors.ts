/** Why git did not do what was asked of it. */
export type GitFailureReason =
  /** The remote cannot be had: no answer, no such repository, no access. Retried, later and later. */
  | "RepositoryUnreachable"
  /** The remote answered and refuses what we push: a hook, a protected branch, missing rights. */
  | "PushRefused"
  /** The folder in the repository belongs to another operator, or its owner cannot be read. */
  | "RepositoryOwned"
  /** Our own bare clone does not answer as it should. It is recreated; nothing is lost, because it is a cache. */
  | "CacheBroken"
  /** The remote names objects by another hash than our clone does: the clone is recreated. */
  | "ObjectFormat"
  /** The folder with credentials lacks what the remote's protocol needs. The message names files, never content. */
  | "Credentials"
  /** We ended a git process: it was silent for too long, or we are closing. */
  | "Killed"
  /** A process that should stay ended by itself; the message is the first line of its complaint. */
  | "Ended";

/** Git did not do what was asked of it. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly reason: GitFailureReason;

  constructor(reason: GitFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Whether git failed, for one of these reasons. Pure. */
export function isGitError(error: unknown, ...reasons: readonly GitFailureReason[]): error is GitError {
  return error instanceof GitError && reasons.includes(error.reason);
}

/** Whether git was ended by us, which says nothing about the repository or the clone. Pure. */
export function isKilled(error: unknown): boolean {
  return isGitError(error, "Killed") || (error instanceof Error && isGitError(error.cause, "Killed"));
}
