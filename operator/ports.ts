import type { LiveObject, ObjectKind } from "../crds/object.ts";
import type { Addition, Manifest } from "../synth/manifest.ts";
import type { CommitOrigin } from "./engine/origin-text.ts";
import type { Announcement } from "./engine/transitions.ts";

/** Time, injected. `now` is monotonic; `wallClock` is the time that users see. */
export interface Clock {
  /** Milliseconds on the monotonic clock. */
  now(): number;
  wallClock(): Date;
  /** Runs `callback` once after `delayMs`; the result cancels it. Does not prevent the process from exiting. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** Random numbers in [0, 1), injected so that jitter can be tested. */
export type Random = () => number;

/** A fence for every write: throws `NotLeadingError` unless this instance leads at this moment. */
export interface Fence {
  check(): void;
}

/** Location of one object. */
export interface ObjectRef {
  readonly kind: ObjectKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** How an apply protects another object with the same name. */
export type ApplyGuard =
  | { readonly mode: "create" } // made if absent; AlreadyThereError if anything is there
  | { readonly mode: "update"; readonly uid: string }; // ReplacedError if another object has the name now

/** Only if the object is at this version, else ReplacedError. Default: at any. */
export type AtVersion = { readonly resourceVersion?: string };

export interface DeleteOptions extends AtVersion {
  readonly uid: string;
  readonly propagation: Propagation;
}

export type Propagation = "Background" | "Foreground" | "Orphan";

/** The ServiceAccount that a request is sent as. */
export interface Impersonation {
  readonly namespace: string;
  readonly serviceAccountName: string;
}

/** The Kubernetes API as the reconcile needs it. Errors are those of errors.ts. Writes are fenced. */
export interface Cluster {
  /** The same for one reconcile: when the signal aborts, running requests end with its reason; nothing more is sent. */
  until(signal: AbortSignal): Cluster;
  /**
   * The same with the permissions of a ServiceAccount for every request; undefined: with those of the operator.
   *
   * @throws ImpersonationError if its name is not valid: no request is ever sent with more permissions than requested.
   */
  as(who: Impersonation | undefined): Cluster;
  /** The same with dry-run applies: the server returns the object as it would be. */
  dryRun(): DryCluster;
  /** Server-side apply, forced, field manager `fairlead`. Returns the object in the server's response. */
  apply(kind: ObjectKind, manifest: Manifest, guard: ApplyGuard): Promise<LiveObject>;
  /**
   * Server-side apply to an existing object, or to a subresource of it, with a separate field manager and not forced:
   * fields of other managers are not taken over. Returns the object in the server's response; ReplacedError: it was
   * deleted.
   */
  add(addition: Addition, options: { readonly uid: string }): Promise<LiveObject>;
  read(ref: ObjectRef): Promise<LiveObject | undefined>;
  /**
   * Deletes exactly the object with this uid. It is not an error if it was deleted already or replaced. Returns the
   * object if it still exists and is being deleted: a namespace, for example, is deleted when it is empty.
   */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<LiveObject | undefined>;
  /** Merge patch of the status subresource, guarded by `uid`. Undefined: the resource was deleted. */
  patchStatus(ref: ObjectRef, uid: string, status: object, at?: AtVersion): Promise<LiveObject | undefined>;
  /** Merge patch of metadata (finalizers), guarded by uid and resourceVersion. */
  patchMetadata(ref: ObjectRef, metadata: object): Promise<LiveObject | undefined>;
  /** Transfers the managedFields entries of the manager that set the controller reference to our field manager. */
  takeOverFields(kind: ObjectKind, live: LiveObject): Promise<LiveObject | undefined>;
}

/** The Kubernetes API for a plan: it cannot change anything. */
export type DryCluster = Pick<Cluster, "apply" | "read">;

/** A local copy of all objects of one kind (and selector), kept fresh by a reflector. Reads are synchronous. */
export interface ObjectStore {
  readonly kind: ObjectKind;
  /** The first list is complete, and the kind is not reported as missing. */
  readonly hasSynced: boolean;
  get(key: string): LiveObject | undefined;
  list(): Iterable<LiveObject>;
  /** Objects for which the index function returned `value`, sorted by name. */
  byIndex(index: string, value: string): readonly LiveObject[];
  /** Stores the server's response to an own write, unless a newer version is stored (read-your-writes). */
  written(object: LiveObject): void;
  /** Removes an object that the server reported as deleted; late events of this uid are ignored. */
  removed(key: string, uid: string): void;
}

/** Events of events.k8s.io/v1; never blocks, never fails. */
export interface EventRecorder {
  /** `note` is for users: what, why, what to do. `action` is a verb in UpperCamelCase. */
  record(regarding: LiveObject, event: Announcement): void;
}

/** Structured log: a constant message and fields. */
export interface Logger {
  /** `fields` that are expensive to compute are a function, which is called only if they are written. */
  debug(message: string, fields?: object | (() => object)): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  child(fields: object): Logger;
}

/** The leadership of this instance: the fencing term is written into commits. */
export interface LeaseTerm {
  readonly leaseUid: string;
  readonly transitions: number;
}

/** The part of a coordination.k8s.io/v1 Lease that leader election reads and writes; times are MicroTime texts. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly [field: string]: unknown;
}

/** A Lease in the server's version; a replace keeps its other fields. */
export interface Lease {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: LeaseSpec;
}

/** The Lease for which instances of the operator compete. A rejection means: not written, or unknown whether. */
export interface LeaseClient {
  /** Undefined: there is none. */
  get(options: { readonly signal: AbortSignal }): Promise<Lease | undefined>;
  /** Rejects when there is one already. */
  create(spec: LeaseSpec, options: { readonly signal: AbortSignal }): Promise<Lease>;
  /** PUT with `metadata.resourceVersion` as precondition; rejects when the Lease was changed, replaced or deleted. */
  replace(lease: Lease, options: { readonly signal: AbortSignal }): Promise<Lease>;
}

/** The last publication, from a resource's status. */
export interface PublishedRecord {
  /** {@link ManifestSet} digest of the published manifests. */
  readonly digest: string;
  /** Git tree id of the resource's folder. */
  readonly tree: string;
  /** The last commit that changed the folder. */
  readonly commit: string;
  /** Id of its repository, branch and path. Missing in statuses of earlier versions. */
  readonly place?: string | undefined;
}

export interface PublishOffer {
  /** Store key of the resource and its kind (`plural.group`), which is requeued when the state changes. */
  readonly owner: { readonly groupKind: string; readonly key: string };
  /** `Echo shop/hello`, for the commit message, and its generation. */
  readonly title: string;
  readonly generation: number;
  /** Folder of the resource below the repository path; see synth/file-tree.ts. */
  readonly folder: string;
  readonly digest: string;
  /** The last publication in the resource's status. */
  readonly last: PublishedRecord | undefined;
  /** More trailers of its commit, such as `Fairlead-Source: …`: one line each. */
  readonly trailers?: readonly string[];
  /** Commit of the source from which the files are created, with its author's description. */
  readonly origin?: CommitOrigin;
  /** Files below `folder` by relative path. Called only when something must be committed. */
  readonly render: () => ReadonlyMap<string, string>;
}

export type PublishState =
  | { readonly state: "published"; readonly record: PublishedRecord }
  /** `sinceMs` on the monotonic clock: when this digest was first offered. */
  | { readonly state: "pending"; readonly sinceMs: number }
  | { readonly state: "failed"; readonly reason: PublishFailure; readonly message: string };

export type PublishFailure =
  | "PushRefused"
  | "RepositoryUnreachable"
  | "RepositoryOwned"
  /** The resource would be created from its own publication, or its location on the branch cannot be used. */
  | "PublishRefused";

/** The state of the resource of a folder: only `gone` folders may ever be removed. */
export type FolderClaim = "wanted" | "gone" | "unknown";

/** Git, seen from a reconcile: synchronous and level-triggered. The adapter works in the background. */
export interface Publisher {
  /**
   * Returns the state of an offer, and publishes it: repeating the same offer has no cost, another offer replaces it.
   * When the state changes, the owner's key is requeued.
   */
  publish(offer: PublishOffer): PublishState;
  /** The resource was deleted: the next commit removes its folder. With `keepFiles` the folder stays as it is. */
  retire(folder: string, options?: { readonly keepFiles?: boolean }): void;
}

/** The local copies that a reconcile reads. A request for an undeclared kind is a defect and throws. */
export interface Stores {
  /** Resources of a kind of this operator. Index `set`: the id of the set of objects that a resource owns. */
  resources(kind: ObjectKind): ObjectStore;
  /** Objects of a kind that carry the label `fairlead.dev/set`. Index `set`: that label's value. */
  children(kind: ObjectKind): ObjectStore;
  /**
   * Objects of a kind that a selector matches, or all of them. Index `<plural>.<group>` of each kind that relates to
   * them: the result of its `ownerKey`. Index `added`, where a kind sets fields of them: the field managers that have
   * set some.
   */
  related(kind: ObjectKind, selector: string | undefined): ObjectStore;
  /** Whether a namespace is known to be terminating. */
  isTerminating(namespace: string): boolean;
}

/** The delay of the next reconcile. None: an event will cause it. */
export type ReconcileResult = { readonly requeueAfterMs?: number };

/** One run for one resource. If it throws, it is retried with backoff. */
export type Reconcile = (key: string, options: ReconcileOptions) => Promise<ReconcileResult>;

/** `onExplain` receives a function that describes the work and what the resource waits for, called only if needed. */
export type ReconcileOptions = { readonly signal: AbortSignal; readonly log: Logger } & Explained;
type Explained = { readonly onExplain?: (explain: () => object) => void };
