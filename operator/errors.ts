import type { ObjectId, ObjectKindId } from "../synth/manifest.ts";

/**
 * The API server rejected an object and will reject it again until the resource is edited: `Applied` becomes false, and
 * no retry is scheduled, unless another object conflicts with it or its kind's schema rejected it.
 */
export class ObjectRejectedError extends Error {
  override readonly name = "ObjectRejectedError";
  readonly id: ObjectId;
  /** Set when an immutable field is the cause. */
  readonly immutableField: string | undefined;
  /** Another object of this kind uses something exclusive, such as a node port, which may become free later. */
  readonly isContested: boolean;
  /**
   * The schema of a custom resource's kind rejected it: it may be accepted when its definition has changed, or the
   * change is served.
   */
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

/** A create-only apply found an object with this name. One read determines its owner. */
export class AlreadyThereError extends Error {
  override readonly name = "AlreadyThereError";
  readonly id: ObjectId;

  constructor(id: ObjectId, options?: ErrorOptions) {
    super(`Cannot create "${id}": an object of this name exists`, options);
    this.id = id;
  }
}

/** The object to be changed was deleted, or another one has its name now. Read it again. */
export class ReplacedError extends Error {
  override readonly name = "ReplacedError";
  readonly id: ObjectId;

  constructor(id: ObjectId, options?: ErrorOptions) {
    super(`Cannot apply "${id}": it was deleted or replaced meanwhile`, options);
    this.id = id;
  }
}

/** Objects keep changing during the reconcile: another client works against the operator. Retried later. */
export class UnsettledError extends Error {
  override readonly name = "UnsettledError";

  /** @param names The objects, for users. */
  constructor(names = "the objects") {
    super(
      `Cannot settle ${names}: another client makes changes at the same time; ` +
        '"kubectl get KIND NAME -o yaml --show-managed-fields" shows which one',
    );
  }
}

/** The owner of an object that is not changed. */
export interface ForeignOwner {
  /** For users: `Helm release blog`. */
  readonly name: string;
  /** Why the annotation `fairlead.dev/adopt-by` has no effect: the object has another controller, or the label of another set. */
  readonly heldBy?: "controller" | "set" | undefined;
}

/** Another owner has this object: it is not changed. */
export class NotOwnedError extends Error {
  override readonly name = "NotOwnedError";
  readonly id: ObjectId;
  readonly owner: ForeignOwner;

  constructor(id: ObjectId, owner: ForeignOwner) {
    super(`Cannot apply "${id}": it belongs to ${owner.name}`);
    this.id = id;
    this.owner = owner;
  }
}

/** The namespace is being deleted: nothing can be created in it, and nothing needs to be. */
export class NamespaceTerminatingError extends Error {
  override readonly name = "NamespaceTerminatingError";
  readonly namespace: string;

  constructor(namespace: string, options?: ErrorOptions) {
    super(`Cannot apply in namespace "${namespace}": it is being deleted`, options);
    this.namespace = namespace;
  }
}

/** A resource cannot be converted to manifests: `Applied=False`, `SpecInvalid`. No retry until it is edited. */
export class SpecInvalidError extends Error {
  override readonly name = "SpecInvalidError";
}

/** This instance does not lead (any more): the write was not sent, or the API server's own fence rejected it. */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
  /**
   * The API server rejected it. If that persists, this instance can never write: its token belongs to no pod, or to
   * another one.
   */
  readonly isRefusal: boolean;

  constructor(refusal?: string) {
    super(`Cannot write: ${refusal ?? "this instance does not hold the lease"}`);
    this.isRefusal = refusal !== undefined;
  }
}

/** The response of the API server may be different next time (5xx, 429, connection lost, forbidden). */
export class ApiUnavailableError extends Error {
  override readonly name = "ApiUnavailableError";
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** Set if the API server does not serve the object's kind. */
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

/** A list or watch failed. `status` is 0 without a response (refused, reset, timeout). */
export class WatchError extends Error {
  override readonly name = "WatchError";
  readonly status: number;
  /** Reason of the API server's Status, such as `Expired`; empty if there was none. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  /** No connection was made: the server did not receive the request. */
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

/** A reconcile failed permanently until something is edited: counted and logged, not retried. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** A failure for a condition: `reason` is one of crds/conditions.ts, `message` is for users and contains no secret. */
export interface SourceFailure {
  readonly reason: SourceFailureReason;
  readonly message: string;
}

export type SourceFailureReason =
  /** The remote is unreachable, or does not respond in time. */
  | "SourceUnreachable"
  /** The remote responded and rejected the request: credentials, host key. */
  | "SourceRefused"
  /** The ref, commit or path does not exist. */
  | "SourceNotFound"
  /** The spec or the Secret is invalid: URL, credentials, a path that leaves the repository. */
  | "SourceInvalid"
  /** The commit is not signed by one of the keys. */
  | "SourceNotVerified"
  /** The files cannot be read as manifests, or the program failed; with file and line. */
  | "RenderFailed"
  /** A limit was exceeded: time, memory, size or number of objects or files. */
  | "RenderLimit"
  /** The same program and inputs gave two different outputs. */
  | "RenderNotReproducible"
  /** Programs of the namespace have used up the platform's time limit per hour: it is rendered later. */
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

/** The process that renders a source ended during each attempt, most likely because of its memory limit. */
export class RenderEndedError extends SourceError {
  constructor() {
    super(
      "RenderLimit",
      "the process that renders this source ended each time: the source takes too much memory or time; retried later",
    );
  }
}
