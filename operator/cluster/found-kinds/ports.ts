import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { ObjectId, ObjectKindId } from "../../../synth/manifest.ts";
import type { KindAnswer, OwnedObject, WatchedObjects } from "../../engine/desired-set.ts";
import type { Impersonation } from "../../ports.ts";

/** The kinds of the API server. Answers come from memory; unknown kinds are looked up in the background. */
export interface KindCatalog {
  find(apiVersion: string, kind: string): ObjectKind | undefined; // undefined: not known (yet); else always one object
  /** The kind in the version that the cluster prefers. */
  findGroupKind(group: string, kind: string): ObjectKind | undefined;
  /**
   * Looks up a kind, and starts a discovery if it is unknown: the resource's key is requeued when the answer changes.
   * For one kind, discovery runs at most once a minute.
   */
  ask(apiVersion: string, kind: string, key: string): KindAnswer;
  /** The same, in the version that the cluster prefers. */
  askGroupKind(group: string, kind: string, key: string): KindAnswer;
  /** Starts a discovery, at once or after a moment: an object that serves kinds has changed. */
  refresh(): void;
  /** Records the current state of a CustomResourceDefinition. */
  learn(crd: LiveObject): void;
  /** Whether a kind's definition has changed so recently that the API server may still validate with the old one. */
  isDefinitionNew(kind: ObjectKindId): boolean;
  /** Whether discovery has succeeded once. */
  readonly hasSynced: boolean;
}

/** Local copies of objects that resources own, of any kind; a watch starts when its kind is first requested. */
export interface FoundStores {
  /**
   * Objects of a kind with the label of a set. Starts the watch. If it has not synced, the resource's key is requeued
   * when that changes.
   */
  watch(kind: ObjectKind, key?: string): WatchedObjects;
  /** Objects that are recorded and have the label of the set, of all kinds whose watch has synced, each one once. */
  owned(set: string, recorded: ReadonlySet<ObjectId>): readonly OwnedObject[];
  /**
   * Whether objects in this namespace are watched; undefined: objects without a namespace, which the operator may not be
   * allowed to watch.
   */
  sees(namespace: string | undefined): boolean;
  /** All kinds that are watched now, to search a set. */
  readonly watched: readonly ObjectKind[];
  isTerminating(namespace: string): boolean;
}

/** Reads Secrets that resources reference, when they are needed: they are never watched. */
export interface SecretReader {
  /**
   * The data of a Secret, decoded. `namespace` must be the resource's own: the author of a resource must have access to
   * the Secrets that it references.
   *
   * @param options.as The ServiceAccount whose permissions apply; undefined: the operator's.
   * @param options.maxAgeMs Maximum age of a cached result.
   * @throws SourceError `SourceInvalid`: it does not exist, or may not be read. ApiUnavailableError: no response.
   */
  read(
    ref: { readonly namespace: string; readonly name: string },
    options: { readonly as: Impersonation | undefined; readonly maxAgeMs: number },
  ): Promise<ReadonlyMap<string, string>>;
  /** Drops the cached data, for example after it was rejected. */
  forget(ref: { readonly namespace: string; readonly name: string }): void;
}
