import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { ObjectId, ObjectKindId } from "../../../synth/manifest.ts";
import type { KindAnswer, OwnedObject, WatchedObjects } from "../../engine/desired-set.ts";
import type { Impersonation } from "../../ports.ts";

/** Which kinds the API server has. Answers come from memory; what is not known is asked for in the background. */
export interface KindCatalog {
  find(apiVersion: string, kind: string): ObjectKind | undefined; // undefined: not known (yet); else always one object
  /** The kind in the version that the cluster prefers. */
  findGroupKind(group: string, kind: string): ObjectKind | undefined;
  /**
   * What is known of a kind, and sees to it that it gets known: the resource's key is put back into its queue when the
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

/** Local copies of objects that resources own, of any kind; watches begin when a kind is first asked for. */
export interface FoundStores {
  /**
   * Objects of a kind with our set's label. Starts the watch. While they are not all known, the resource's key is put back
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

/** Reads Secrets that resources name, when they are needed: they are never watched. */
export interface SecretReader {
  /**
   * The data of a Secret, decoded. Keep `namespace` the resource's own: what a resource names must be its author's to use.
   *
   * @param options.as The ServiceAccount whose rights decide; undefined: the operator's.
   * @param options.maxAgeMs The greatest age of a cached answer.
   * @throws SourceError `SourceInvalid`: it is not there, or may not be read. ApiUnavailableError: no answer.
   */
  read(
    ref: { readonly namespace: string; readonly name: string },
    options: { readonly as: Impersonation | undefined; readonly maxAgeMs: number },
  ): Promise<ReadonlyMap<string, string>>;
  /** The next read asks the server, such as after its data was refused. */
  forget(ref: { readonly namespace: string; readonly name: string }): void;
}
