import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import type { WatchSource } from "./ports.ts";
import { Reflector, type ReflectorInput } from "./reflector.ts";
import { type FollowedStore, WatchedStore } from "./store.ts";
import type { IndexFunction } from "./store-index.ts";
import { StoreView } from "./store-view.ts";

/** The purpose of a watch; a child kind is watched once, however many kinds have such children. */
export type WatchRole = "resource" | "child" | "related" | "namespace";

export interface WatchedKind {
  readonly role: WatchRole;
  readonly kind: ObjectKind;
  readonly selector: string | undefined;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly store: FollowedStore;
  readonly reflector: Reflector;
}

export type Indexes = Readonly<Record<string, IndexFunction>>;

export interface WantedWatch extends Pick<WatchedKind, "role" | "kind" | "selector"> {
  readonly indexes: Indexes;
  /** A second role that the same watch serves. */
  readonly alsoFor?: WatchRole;
}

export interface WatchesInput {
  /** Namespaces to watch; empty means all. */
  readonly namespaces: readonly string[];
  readonly sourceOf: (
    kind: ObjectKind,
    options: { role: WatchRole; selector: string | undefined; namespace: string | undefined },
  ) => WatchSource;
  /**
   * Reduces objects that are added to a store, also in responses to our own writes. Default: they are stored unchanged.
   */
  readonly transformOf?: (
    kind: ObjectKind,
    options: { readonly role: WatchRole },
  ) => ((object: LiveObject) => LiveObject) | undefined;
  readonly missingKindWaitMs?: ReflectorInput["missingKindWaitMs"];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A watch in every watched namespace, or one for all of them. None of them runs yet. */
export function prepareWatches(
  { role, kind, selector, indexes, alsoFor }: WantedWatch,
  { namespaces, sourceOf, transformOf, missingKindWaitMs, clock, random, log }: WatchesInput,
): readonly WatchedKind[] {
  const places = namespaces.length === 0 || !kind.namespaced ? [undefined] : namespaces;
  const transform = transformOf?.(kind, { role });
  return places.flatMap((namespace): readonly WatchedKind[] => {
    const store = new WatchedStore({ kind, indexes, log, ...(transform && { transform }) });
    const source = sourceOf(kind, { role, selector, namespace });
    const more = missingKindWaitMs && { missingKindWaitMs };
    const reflector = new Reflector({ source, store, clock, random, log, ...more });
    const watched = { role, kind, selector, namespace, store, reflector };
    return alsoFor === undefined
      ? [watched]
      : [watched, { ...watched, role: alsoFor, store: new StoreView(store) }];
  });
}

/** The set in the label of an object. */
export function setLabelOf({ metadata }: LiveObject): string | undefined {
  return metadata.labels?.[stamps.set];
}
