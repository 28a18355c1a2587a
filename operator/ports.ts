import type { LiveObject, ObjectKind } from "../crds/object.ts";
import type { Addition, Manifest } from "../synth/manifest.ts";
import type { CommitOrigin } from "./engine/origin-text.ts";
import type { Announcement } from "./engine/transitions.ts";

/** Time, injected. `now` is monotonic; `wallClock` is for what people read. */
export interface Clock {
  /** Milliseconds on the monotonic clock. */
  now(): number;
  wallClock(): Date;
  /** Runs `callback` once after `delayMs`; the result cancels it. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** Random numbers in [0, 1), injected so that jitter can be tested. */
export type Random = () => number;

/** A fence in front of every write: throws `NotLeadingError` unless we lead at this very moment. */
export interface Fence {
  check(): void;
}

/** Where one object is. */
export interface ObjectRef {
  readonly kind: ObjectKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** How an apply guards against another object under the same name. */
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
  /** The same for one reconcile: when the signal aborts, what is under way ends with its reason, and nothing more is sent. */
  until(signal: AbortSignal): Cluster;
  /**
   * The same with the permissions of a ServiceAccount for every request; undefined: with those of the operator.
   *
   * @throws ImpersonationError if its name is not valid: no request is ever sent with more permissions than asked for.
   */
  as(who: Impersonation | undefined): Cluster;
  /** The same, where an apply changes nothing: the server answers what would be. */
  dryRun(): DryCluster;
  /** Server-side apply, forced, field manager `fairlead`. Gives the object as the server answered. */
  apply(kind: ObjectKind, manifest: Manifest, guard: ApplyGuard): Promise<LiveObject>;
  /**
   * Server-side apply to an object that must be there, or to a subresource of it, by a field manager of its own and not forced:
   * fields of other managers are not taken. Gives the object as the server answered; ReplacedError: it is gone.
   */
  add(addition: Addition, options: { readonly uid: string }): Promise<LiveObject>;
  read(ref: ObjectRef): Promise<LiveObject | undefined>;
  /**
   * Deletes exactly the object with this uid. Gone already, or another one now: no error. Gives the object if it still
   * exists and is being deleted: a namespace, for example, goes when it is empty.
   */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<LiveObject | undefined>;
  /** Merge patch of the status subresource; `uid` guards against a namesake. Undefined: the resource is gone. */
  patchStatus(ref: ObjectRef, uid: string, status: object, at?: AtVersion): Promise<LiveObject | undefined>;
  /** Merge patch of metadata (finalizers), guarded by uid and resourceVersion. */
  patchMetadata(ref: ObjectRef, metadata: object): Promise<LiveObject | undefined>;
  /** Renames managedFields entries of the manager that made our controller reference, so that its fields become ours. */
  takeOverFields(kind: ObjectKind, live: LiveObject): Promise<LiveObject | undefined>;
}

/** The Kubernetes API for a plan: it cannot change anything. */
export type DryCluster = Pick<Cluster, "apply" | "read">;

/** A local copy of all objects of one kind (and selector), kept fresh by a reflector. Reads are synchronous. */
export interface ObjectStore {
  readonly kind: ObjectKind;
  /** The first list arrived, and nothing says that the kind is missing. */
  readonly hasSynced: boolean;
  get(key: string): LiveObject | undefined;
  list(): Iterable<LiveObject>;
  /** Objects whose index function gave `value`, in the order of their names. */
  byIndex(index: string, value: string): readonly LiveObject[];
  /** Puts the server's answer to our own write in, unless something newer is there (read-your-writes). */
  written(object: LiveObject): void;
  /** Takes out an object that the server said is gone; late events of this uid are ignored. */
  removed(key: string, uid: string): void;
}

/** Events of events.k8s.io/v1; never blocks, never fails. */
export interface EventRecorder {
  /** `note` is for people: what, why, what to do. `action` is a verb in UpperCamelCase. */
  record(regarding: LiveObject, event: Announcement): void;
}

/** Structured log: a constant message and fields. */
export interface Logger {
  /** `fields` that cost something to make are a function, which is called only if they are written. */
  debug(message: string, fields?: object | (() => object)): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  child(fields: object): Logger;
}

/** The leadership we hold: the fencing term written into commits. */
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

/** A Lease as the server has it; what it carries beyond these fields is kept by a replace. */
export interface Lease {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: LeaseSpec;
}

/** The one Lease that instances of the operator compete for. Any rejection means: not written, or not known whether. */
export interface LeaseClient {
  /** Undefined: there is none. */
  get(options: { readonly signal: AbortSignal }): Promise<Lease | undefined>;
  /** Rejects when there is one already. */
  create(spec: LeaseSpec, options: { readonly signal: AbortSignal }): Promise<Lease>;
  /** PUT guarded by `metadata.resourceVersion`; rejects when the Lease was changed, replaced or deleted meanwhile. */
  replace(lease: Lease, options: { readonly signal: AbortSignal }): Promise<Lease>;
}

/** The last publication, from a resource's status. */
export interface PublishedRecord {
  /** {@link ManifestSet} digest of what was published. */
  readonly digest: string;
  /** Git tree id of the resource's folder. */
  readonly tree: string;
  /** Commit that brought it (the last one that changed the folder). */
  readonly commit: string;
  /** Id of the repository, branch and path that it is in. Absent where it was written before places had names. */
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
  /** Commit of a source that the files are made from, as its author describes it. */
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
  /** A resource would be made from what it publishes, or its place on the branch cannot be used. */
  | "PublishRefused";

/** The state of the resource of a folder: only `gone` folders may ever be removed. */
export type FolderClaim = "wanted" | "gone" | "unknown";

/** Git, seen from a reconcile: synchronous and level-triggered. The adapter works in the background. */
export interface Publisher {
  /**
   * Returns the state of an offer, and publishes it: offering the same again costs nothing, offering
   * something else replaces it. When the answer changes the owner's key is put back into its queue.
   */
  publish(offer: PublishOffer): PublishState;
  /** The resource is gone: its folder is removed with the next commit. With `keepFiles` it stays on the branch as it is. */
  retire(folder: string, options?: { readonly keepFiles?: boolean }): void;
}

/** The local copies that a reconcile reads. A request for an undeclared kind is a defect and throws. */
export interface Stores {
  /** Our resources of a kind. Index `set`: the id of the set of objects that a resource owns. */
  resources(kind: ObjectKind): ObjectStore;
  /** Objects of a kind that carry the label `fairlead.dev/set`. Index `set`: that label's value. */
  children(kind: ObjectKind): ObjectStore;
  /**
   * Objects of a kind that a selector picks, or all of them. Index `<plural>.<group>` of each kind that relates to them:
   * what its `ownerKey` gives. Index `added`, where a kind sets fields of them: the field managers that have set some.
   */
  related(kind: ObjectKind, selector: string | undefined): ObjectStore;
  /** Whether a namespace is known to be going away. */
  isTerminating(namespace: string): boolean;
}

/** The delay of the next reconcile. None: an event will cause it. */
export type ReconcileResult = { readonly requeueAfterMs?: number };

/** One run for one resource. Throwing means: retry with backoff. */
export type Reconcile = (key: string, options: ReconcileOptions) => Promise<ReconcileResult>;

/** `onExplain` gets how to say what was done and what the resource waits for; it is called only if it is read. */
export type ReconcileOptions = { readonly signal: AbortSignal; readonly log: Logger } & Explained;
type Explained = { readonly onExplain?: (explain: () => object) => void };
