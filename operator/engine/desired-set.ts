import type { Lifetime } from "../../crds/child-kind.ts";
import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { Addition, Manifest, ObjectId } from "../../synth/manifest.ts";
import type { ObjectStore } from "../ports.ts";
import type { ApplyStage } from "./apply-stage.ts";

/** One object that a resource wants, as it is to be applied. */
export interface DesiredObject {
  readonly id: ObjectId;
  /** With all labels and annotations that the operator adds. */
  readonly manifest: Manifest;
  /** Undefined: the cluster has no such kind, as far as is known. */
  readonly kind: ObjectKind | undefined;
  /** Its origin, for messages: `web/deployment.yaml:12`. */
  readonly origin: string;
  readonly stage: ApplyStage;
  /** Objects of this set that must be healthy before it is applied. */
  readonly needs: readonly ObjectId[];
  /** A namespace that only has to exist: created if absent, otherwise left unchanged, never deleted. */
  readonly isEnsured: boolean;
  /** Whether it may be changed once it exists. */
  readonly lifetime: Lifetime;
  /** Created with a finalizer that blocks its deletion until its outcome is recorded. Default: false. */
  readonly isProtected?: boolean;
  /** Whether it is committed to git. */
  readonly publish: boolean;
}

/** The rule for objects of one kind that are no longer desired, if they are not simply deleted. */
export interface LifetimeRule {
  readonly kind: ObjectKind;
  readonly lifetime: Exclude<Lifetime, "kept">;
  /** Which of them stay; given the oldest first. Undefined: all. Pure. */
  readonly keep: ((left: readonly LiveObject[]) => readonly LiveObject[]) | undefined;
}

/** Everything that one resource wants in the cluster. */
export interface DesiredSet {
  /** Value of the label `fairlead.dev/set`. */
  readonly set: string;
  /** Digest over all manifests without stamps. */
  readonly digest: string;
  /** In apply order; ids are unique. */
  readonly objects: readonly DesiredObject[];
  /** Whether the order is more than that of the kinds' stages: the source declares what needs what. */
  readonly isOrdered: boolean;
  /** Additions to objects that the resource does not own; applied last. Default: nothing. */
  readonly additions?: readonly Addition[];
  /** Additions without fields: they remove the fields that the resource has set of other objects than these. Default: nothing. */
  readonly removals?: readonly Addition[];
  /** Whether objects of some kind are not committed to git, even if there are none at the moment. Default: false. */
  readonly hasUnpublished?: boolean;
  /** Of the kinds whose objects are not `kept`. Default: none. */
  readonly lifetimes?: readonly LifetimeRule[];
}

/** An object that belongs to a set, as the local copies hold it. */
export interface OwnedObject {
  readonly id: ObjectId;
  readonly kind: ObjectKind;
  readonly live: LiveObject;
}

/** An object that is no longer desired, and stays. */
export interface KeptObject extends OwnedObject {
  /** For users. */
  readonly why: string;
}

/** The local copy of the objects of one kind, and the state of its watch. */
export interface WatchedObjects {
  readonly store: ObjectStore;
  readonly hasSynced: boolean;
  /** Why the kind cannot be watched, such as missing permissions; undefined: it can, or it is not known yet. */
  readonly refusal: string | undefined;
}

/** The state of a lookup of a kind. Messages are for users. */
export type KindAnswer =
  | { readonly state: "known"; readonly kind: ObjectKind }
  /** Discovery is running. */
  | { readonly state: "pending" }
  /** `absent`: the cluster has no such kind. `unavailable`: unknown at the moment. Both are asked again later. */
  | { readonly state: "absent" | "unavailable"; readonly message: string };
