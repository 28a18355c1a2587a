/** The remote cannot be had: no answer, no such repository, no access. Tried again, later and later. */
export class RepositoryUnreachableError extends Error {
  override readonly name = "RepositoryUnreachableError";
}

/** The remote answered and does not want what we push (a hook, a protected branch, missing rights). */
export class PushRefusedError extends Error {
  override readonly name = "PushRefusedError";
}

/** The folder in the repository belongs to another operator (or its owner file cannot be parsed). */
export class RepositoryOwnedError extends Error {
  override readonly name = "RepositoryOwnedError";
}

/** The bare clone is damaged. It is recreated; nothing is lost, since it is a cache. */
export class CacheBrokenError extends Error {
  override readonly name = "CacheBrokenError";
}

/** The remote uses another object hash than the clone: the clone is recreated. */
export class ObjectFormatError extends Error {
  override readonly name = "ObjectFormatError";
}

/** A git process was ended by us: it said nothing for too long, or we are closing. */
export class GitKilledError extends Error {
  override readonly name = "GitKilledError";
}

/** A process that was to stay ended by itself; `message` is the first line of what it complained about. */
export class GitEndedError extends Error {
  override readonly name = "GitEndedError";
}

/** The folder with credentials lacks what the remote's protocol needs. The message names files, never content. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}
