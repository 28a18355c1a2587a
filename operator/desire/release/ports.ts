import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import type { Manifest, ObjectId, ObjectKindId } from "../../../synth/manifest.ts";
import type { KindAnswer, OwnedObject, WatchedObjects } from "../../engine/desired-set.ts";
import type { Cluster } from "../../ports.ts";
import type { SmallestLimit } from "./limits.ts";
import type { ReleaseFailure, ReleaseFailureReason } from "./release-failure.ts";

// The ports of a Release's reconcile. Sources and renders are level-triggered as the Publisher is: they answer at once
// from memory, work in the background, and put the Release's key back into its queue when the answer changes.

export type { ReleaseFailure, ReleaseFailureReason };

/** One commit, as far as people are told about it. */
export interface SourceCommit {
  /** Full id. */
  readonly id: string;
  readonly author: string;
  /** First line of the message, control characters removed, at most 200 characters. */
  readonly subject: string;
  /** RFC 3339. */
  readonly committedAt: string;
}

/** What a Release's source says now. */
export interface SourceRevision {
  /** What the ref (or the pin) names: the head that was looked at. */
  readonly head: SourceCommit;
  /** Newest commit up to `head` that changed the tree at `path`, as far as the clone's history tells; else `head`. */
  readonly changed: SourceCommit;
  /** The clone's history does not reach back to the last change of the folder: `changed` is the head. */
  readonly isAssumed?: boolean;
  /** Git tree id of the folder at `path`: equal ids, equal files. */
  readonly tree: string;
  /** Opaque id of URL and credentials. Tree ids of two repositories are never compared. */
  readonly repositoryId: string;
  /** Newest commit up to `head` that changed one of these paths (relative to the source's path); else `head`. */
  readonly lastChangeOf: (paths: readonly string[]) => Promise<SourceCommit>;
  readonly files: SourceFiles;
}

/** The files of one folder of one commit. Reading never touches a work tree; symlinks and submodules are not followed. */
export interface SourceFiles {
  /**
   * Regular files by path relative to the folder, `/` between segments, in byte order. Symlinks and submodules are listed
   * apart, so that a reader can refuse them by name.
   *
   * @throws ReleaseError `RenderLimit` over 20,000 entries.
   */
  list(): Promise<{
    readonly files: readonly { readonly path: string; readonly blob: string; readonly size: number }[];
    readonly refused: readonly { readonly path: string; readonly what: "symlink" | "submodule" }[];
  }>;
  /** Contents of blobs by id, all at once. @throws ReleaseError `RenderLimit` over 64 MiB in all. */
  read(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export type SourceState =
  /** `stale`: the last look failed; what is known still holds. */
  | {
      readonly state: "ready";
      readonly revision: SourceRevision;
      readonly handledRequest: string | undefined;
      readonly stale?: ReleaseFailure;
    }
  | { readonly state: "pending" }
  | {
      readonly state: "failed";
      readonly failure: ReleaseFailure;
      readonly handledRequest?: string | undefined;
    };

export interface SourceRequest {
  /** Key of the Release, for `onChange`. */
  readonly key: string;
  readonly source: ReleaseSpec["source"];
  /** The pin; overrules `source.ref`. */
  readonly revision: string | undefined;
  readonly intervalMs: number;
  /** Data of the Secrets that the source names, decoded; undefined: it names none. */
  readonly credentials: ReadonlyMap<string, string> | undefined;
  readonly signers: ReadonlyMap<string, string> | undefined;
  /** Value of the annotation `fairlead.dev/requested-at`: a new one makes the remote be asked at once. */
  readonly requestedAt: string | undefined;
  readonly repositoryBytes?: number | undefined; // the largest clone that the platform allows
}

/** Git repositories that Releases come from; one bare cache and one schedule per remote. */
export interface Sources {
  /** Where the source stands. Asking the same again costs nothing. */
  resolve(request: SourceRequest): SourceState;
  /** The Release is gone or suspended: it needs no more looks. */
  forget(key: string): void;
  /** Somebody pushed: remotes with this URL (or all that serve the Release, by key) are asked at once. */
  refresh(of: { readonly url: string } | { readonly key: string }): void;
  close(): Promise<void>;
}

/** What a source gives, before anything of ours is put on it. */
export interface Rendered {
  /** Ids unique; namespaces as the author wrote them; in the order of the files or the constructs. */
  readonly manifests: readonly Manifest[];
  /** Where each manifest comes from, for messages: `web/deployment.yaml:12`, or the path of its construct. By index. */
  readonly origins: readonly string[];
  /** Edges that the constructs declare: indexes of manifests that must be healthy before this one. By index. */
  readonly dependencies: ReadonlyMap<number, readonly number[]>;
  /** Digest over the manifests. */
  readonly digest: string;
  /** For a program: digest of its bundle and of its inputs. */
  readonly programDigest?: string;
  readonly inputsDigest?: string;
  /** Paths (relative to the source's path) that it was made of; undefined: all of the folder. */
  readonly readPaths?: readonly string[];
  /** What was left out or looks odd, for people: at most 20 sentences with file and line. */
  readonly warnings?: readonly string[];
}

export type RenderState =
  | { readonly state: "ready"; readonly rendered: Rendered }
  | { readonly state: "pending" }
  /** `waiting`: it is rendered later; the failure says when. */
  | { readonly state: "waiting"; readonly failure: ReleaseFailure }
  | { readonly state: "failed"; readonly failure: ReleaseFailure };

/** How a run of a program that takes long is treated. */
export interface RunPatience {
  /** Nobody waits for the answer any more: a run that takes long is ended. */
  readonly unwanted: AbortSignal;
  /** The program took long before: from the start it gets only what others leave of the processor. */
  readonly isSlow: boolean;
  readonly onSlow: () => void; // it takes long
  readonly onRunning?: (isRunning: boolean) => void; // its process starts to work for it, or has ended its work
}

export interface RenderRequest {
  /** Of the Release. Nothing that is rendered for one namespace is used for another. */
  readonly key: string;
  readonly namespace: string;
  readonly render: ReleaseSpec["render"];
  readonly revision: Pick<SourceRevision, "tree" | "repositoryId" | "files">;
  readonly programQuota?: SmallestLimit | undefined; // seconds of all programs of the namespace within an hour
}

/** Makes manifests of sources. The same tree, options and inputs are rendered once. */
export interface Renderer {
  render(request: RenderRequest): RenderState;
  forget(key: string): void;
  close(): Promise<void>;
}

/** Who acts: undefined is the operator itself. */
export interface Impersonation {
  readonly namespace: string;
  readonly serviceAccountName: string;
}

/** The cluster as a Release's reconcile needs it. */
export interface ReleaseCluster extends Cluster {
  /**
   * The same, with every request impersonating a ServiceAccount.
   *
   * @throws ImpersonationError if its name is empty or odd: no request is ever sent with more rights than asked for.
   */
  as(who: Impersonation | undefined): ReleaseCluster;
  until(signal: AbortSignal): ReleaseCluster;
}

/** Which kinds the API server has. Answers come from memory; what is not known is asked for in the background. */
export interface KindCatalog {
  find(apiVersion: string, kind: string): ObjectKind | undefined; // undefined: not known (yet); else always one object
  /** The kind in the version that the cluster prefers. */
  findGroupKind(group: string, kind: string): ObjectKind | undefined;
  /**
   * What is known of a kind, and sees to it that it gets known: the Release's key is put back into its queue when the
   * answer is another one. However often it is asked, discovery is asked about one kind at most once a minute.
   */
  ask(apiVersion: string, kind: string, key: string): KindAnswer;
  /** The same, in the version that the cluster prefers. */
  askGroupKind(group: string, kind: string, key: string): KindAnswer;
  /** Asks discovery once more, at once or after a moment: something that serves kinds has changed. */
  refresh(): void;
  /** Takes in a CustomResourceDefinition as it is now. */
  learn(crd: LiveObject): void;
  /** Whether a kind's definition has changed so recently that the API server may still judge by the old one. */
  isDefinitionNew(kind: ObjectKindId): boolean;
  /** Discovery has answered. */
  readonly hasSynced: boolean;
}

/** Local copies of objects that Releases own, of any kind; watches begin when a kind is first asked for. */
export interface ReleaseStores {
  /**
   * Objects of a kind with our set's label. Starts the watch. While they are not all known, the Release's key is put back
   * into its queue when that changes.
   */
  watch(kind: ObjectKind, key?: string): WatchedObjects;
  /** Objects that are recorded and carry the set's label, of all kinds that are watched and known, each one once. */
  owned(set: string, recorded: ReadonlySet<ObjectId>): readonly OwnedObject[];
  /** Whether objects there are seen; undefined: those without a namespace, which the operator may not be allowed to see. */
  sees(namespace: string | undefined): boolean;
  /** All kinds that are watched now, for a look through a set. */
  readonly watched: readonly ObjectKind[];
  isTerminating(namespace: string): boolean;
}

/** Reads Secrets that Releases name, when they are needed: they are never watched. */
export interface SecretReader {
  /**
   * The data of a Secret, decoded. Keep `namespace` the Release's own: what a Release names must be its author's to use.
   *
   * @param options.as The ServiceAccount whose rights decide; undefined: the operator's.
   * @param options.maxAgeMs An answer of so long ago is good enough.
   * @throws ReleaseError `SourceInvalid`: it is not there, or may not be read. ApiUnavailableError: no answer.
   */
  read(
    ref: { readonly namespace: string; readonly name: string },
    options: { readonly as: Impersonation | undefined; readonly maxAgeMs: number },
  ): Promise<ReadonlyMap<string, string>>;
  /** The next read asks the server, such as after its data was refused. */
  forget(ref: { readonly namespace: string; readonly name: string }): void;
}
