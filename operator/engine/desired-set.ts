import type { Lifetime } from "../../crds/child-kind.ts";
import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { Addition, Manifest, ObjectId } from "../../synth/manifest.ts";
import type { ObjectStore } from "../ports.ts";
import type { ApplyStage } from "./apply-stage.ts";

/** A desired object of a resource. */
export interface DesiredObject {
  readonly id: ObjectId;
  /** The manifest to apply, with all labels and annotations that the operator adds. */
  readonly manifest: Manifest;
  /** Undefined: the kind is not known to exist in the cluster. */
  readonly kind: ObjectKind | undefined;
  /** Its origin, for messages: `web/deployment.yaml:12`. */
  readonly origin: string;
  readonly stage: ApplyStage;
  /** Objects of this set that must be healthy before it is applied. */
  readonly needs: readonly ObjectId[];
  /** Whether it is a namespace that is created if absent, but never changed or deleted. */
  readonly isEnsured: boolean;
  /** Whether it may be changed once it exists. */
  readonly lifetime: Lifetime;
  /** Whether it is created with a finalizer that blocks its deletion until its outcome is recorded. Default: false. */
  readonly isProtected?: boolean;
  /** Whether it is committed to git. */
  readonly publish: boolean;
}

/** The rule of a kind whose objects are not simply deleted when they are no longer desired. */
export interface LifetimeRule {
  readonly kind: ObjectKind;
  readonly lifetime: Exclude<Lifetime, "kept">;
  /** Selects the objects that stay, from a list sorted by age, the oldest first. Undefined: all stay. Pure. */
  readonly keep: ((left: readonly LiveObject[]) => readonly LiveObject[]) | undefined;
}

/** All desired objects and additions of a resource. */
export interface DesiredSet {
  /** Value of the label `fairlead.dev/set`. */
  readonly set: string;
  /** Digest over all manifests without stamps. */
  readonly digest: string;
  /** In apply order; ids are unique. */
  readonly objects: readonly DesiredObject[];
  /** Whether the source declares dependencies between objects, in addition to the stages of their kinds. */
  readonly isOrdered: boolean;
  /** Additions to objects that the resource does not own; applied last. Default: nothing. */
  readonly additions?: readonly Addition[];
  /** Additions without fields. They remove the fields that the resource has set in all other objects. Default: nothing. */
  readonly removals?: readonly Addition[];
  /** Whether objects of some kind are not committed to git, even if there are none at the moment. Default: false. */
  readonly hasUnpublished?: boolean;
  /** Rules for the kinds whose objects are not `kept`. Default: none. */
  readonly lifetimes?: readonly LifetimeRule[];
}

/** An object of a set, from the local copies. */
export interface OwnedObject {
  readonly id: ObjectId;
  readonly kind: ObjectKind;
  readonly live: LiveObject;
}

/** An object that is no longer desired but is not deleted. */
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

/** The result of a lookup of a kind. Messages are for users. */
export type KindAnswer =
  | { readonly state: "known"; readonly kind: ObjectKind }
  /** Discovery is running. */
  | { readonly state: "pending" }
  /** `absent`: the cluster has no such kind. `unavailable`: unknown at the moment. Both lookups are repeated later. */
  | { readonly state: "absent" | "unavailable"; readonly message: string };
