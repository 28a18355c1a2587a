/** Why a git command failed. */
export type GitFailureReason =
  /** The remote is not reachable: no response, no such repository, no access. Retried with backoff. */
  | "RepositoryUnreachable"
  /** The remote responded and rejected the push: a hook, a protected branch, missing permissions. */
  | "PushRefused"
  /** The folder in the repository belongs to another operator, or its owner cannot be read. */
  | "RepositoryOwned"
  /** The bare clone is damaged. It is recreated; no data is lost, because it is a cache. */
  | "CacheBroken"
  /** The remote uses another object hash than the clone: the clone is recreated. */
  | "ObjectFormat"
  /**
   * The folder with credentials lacks a file that the remote's protocol needs. The message names files, never content.
   */
  | "Credentials"
  /** The operator killed a git process: it had no output for too long, or the operator is stopping. */
  | "Killed"
  /** A long-running process ended by itself; the message is the first line of its stderr. */
  | "Ended";

/** A git command failed. */
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

/** Whether the operator killed git. Then the repository and the clone are not the cause of the error. Pure. */
export function isKilled(error: unknown): boolean {
  return isGitError(error, "Killed") || (error instanceof Error && isGitError(error.cause, "Killed"));
}
