/** A failure that a condition shows: `reason` is one of crds/conditions.ts, `message` is for people and has no secret. */
export interface ReleaseFailure {
  readonly reason: ReleaseFailureReason;
  readonly message: string;
}

export type ReleaseFailureReason =
  /** The remote cannot be reached, or does not answer in time. */
  | "SourceUnreachable"
  /** The remote answered and refuses: credentials, host key. */
  | "SourceRefused"
  /** The ref, commit or path is not there. */
  | "SourceNotFound"
  /** The spec or the Secret cannot be used: URL, credentials, a path that leaves the repository. */
  | "SourceInvalid"
  /** The commit is not signed by one of the keys. */
  | "SourceNotVerified"
  /** The files cannot be read as manifests, or the program failed; with file and line. */
  | "RenderFailed"
  /** A limit: time, memory, size or number of objects or files. */
  | "RenderLimit"
  /** The same program and inputs gave two different outputs. */
  | "RenderNotReproducible"
  /** Programs of the namespace ran as long as the platform allows within an hour: it is rendered later. */
  | "RenderQuota";
