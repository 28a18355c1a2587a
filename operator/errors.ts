import type { ObjectId, ObjectKindId } from "../synth/manifest.ts";

/**
 * The API server refused an object and will refuse it again until the resource is edited:
 * `Applied` turns false, and no retry is scheduled, unless it is contested or its kind's schema refused it.
 */
export class ObjectRejectedError extends Error {
  override readonly name = "ObjectRejectedError";
  readonly id: ObjectId;
  /** Set when an immutable field is the cause. */
  readonly immutableField: string | undefined;
  /** Another object of this kind has what only one can have, such as a node port: it may be free later. */
  readonly isContested: boolean;
  /** The schema of a custom resource's kind refused it: it may be accepted once its definition has changed, or is served. */
  readonly isBySchema: boolean;

  constructor(
    id: ObjectId,
    reason: string,
    options: ErrorOptions & { immutableField?: string; isContested?: boolean; isBySchema?: boolean } = {},
  ) {
    super(`Cannot apply "${id}": ${reason}`, options);
    this.id = id;
    this.immutableField = options.immutableField;
    this.isContested = options.isContested ?? false;
    this.isBySchema = options.isBySchema ?? false;
  }
}

/** Create-only apply found an object under this name. One read decides whose it is. */
export class AlreadyThereError extends Error {
  override readonly name = "AlreadyThereError";
  readonly id: ObjectId;

  constructor(id: ObjectId, options?: ErrorOptions) {
    super(`Cannot create "${id}": an object of this name exists`, options);
    this.id = id;
  }
}

/** The object that we meant to change is gone, or another one has its name now. Look again. */
export class ReplacedError extends Error {
  override readonly name = "ReplacedError";
  readonly id: ObjectId;

  constructor(id: ObjectId, options?: ErrorOptions) {
    super(`Cannot apply "${id}": it was deleted or replaced meanwhile`, options);
    this.id = id;
  }
}

/** Objects keep changing while we converge: another client works against us. Retried later. */
export class UnsettledError extends Error {
  override readonly name = "UnsettledError";
  constructor() {
    super("Cannot settle: objects keep changing");
  }
}

/** Another owner has this object: it stays unchanged. */
export class NotOwnedError extends Error {
  override readonly name = "NotOwnedError";
  readonly id: ObjectId;
  readonly owner: string;

  constructor(id: ObjectId, owner: string) {
    super(`Cannot apply "${id}": it belongs to ${owner}`);
    this.id = id;
    this.owner = owner;
  }
}

/** The namespace is being deleted: nothing can be made in it, and nothing needs to be. */
export class NamespaceTerminatingError extends Error {
  override readonly name = "NamespaceTerminatingError";
  readonly namespace: string;

  constructor(namespace: string, options?: ErrorOptions) {
    super(`Cannot apply in namespace "${namespace}": it is being deleted`, options);
    this.namespace = namespace;
  }
}

/** A resource cannot be turned into manifests: `Applied=False`, `SpecInvalid`. No retry until it is edited. */
export class SpecInvalidError extends Error {
  override readonly name = "SpecInvalidError";
}

/** We do not lead (any more): the write was not sent, or the API server's own fence refused it. */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
  /** The API server refused it. If it goes on, this instance can never write: its token is of no pod, or of another. */
  readonly isRefusal: boolean;

  constructor(refusal?: string) {
    super(`Cannot write: ${refusal ?? "this instance does not hold the lease"}`);
    this.isRefusal = refusal !== undefined;
  }
}

/** The API server answered something that may be different next time (5xx, 429, connection lost, forbidden). */
export class ApiUnavailableError extends Error {
  override readonly name = "ApiUnavailableError";
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** Set when the API server does not know the object's kind. */
  readonly unknownKind: ObjectKindId | undefined;

  constructor(
    what: string,
    options: ErrorOptions & { status: number; retryAfterMs?: number; unknownKind?: ObjectKindId },
  ) {
    super(what, options);
    this.status = options.status;
    this.unknownKind = options.unknownKind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A list or watch could not be had, or broke. `status` is 0 when no answer came (refused, reset, silent). */
export class WatchError extends Error {
  override readonly name = "WatchError";
  readonly status: number;
  /** Reason of the API server's Status, such as `Expired`; empty if there was none. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  /** No connection was made: the server did not see the request. */
  readonly refused: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { status: number; reason?: string; retryAfterMs?: number; refused?: boolean },
  ) {
    super(message, options);
    this.status = options.status;
    this.reason = options.reason ?? "";
    this.retryAfterMs = options.retryAfterMs;
    this.refused = options.refused ?? false;
  }
}

/** A reconcile failed for good until something is edited: counted and logged, not tried again. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** A failure that a condition shows: `reason` is one of crds/conditions.ts, `message` is for people and has no secret. */
export interface SourceFailure {
  readonly reason: SourceFailureReason;
  readonly message: string;
}

export type SourceFailureReason =
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

/** A failure of a resource's source or render, for a condition. The message never contains a secret. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly reason: SourceFailureReason;

  constructor(reason: SourceFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  get failure(): SourceFailure {
    return { reason: this.reason, message: this.message };
  }
}

/** A request for a resource that names no ServiceAccount, where this operator requires one. It was not sent. */
export class AccountRequiredError extends Error {
  override readonly name = "AccountRequiredError";

  constructor() {
    super("Cannot act for a Release that names no ServiceAccount");
  }
}

/** The process that renders a source ended each time that it did: by the limit of its memory, as far as anybody can know. */
export class RenderEndedError extends SourceError {
  constructor() {
    super(
      "RenderLimit",
      "the process that renders this source ended each time: the source takes too much memory or time; retried later",
    );
  }
}
