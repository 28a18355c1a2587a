import type { BoundKind, RelatedObjects } from "../../crds/binding.ts";
import { Namespace } from "../../crds/core-kinds.ts";
import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import type { Clock, Logger, ObjectStore, Random, Stores, WatchSource } from "../ports.ts";
import { Reflector } from "./reflector.ts";
import { type StoreHandler, WatchedStore } from "./store.ts";
import type { IndexFunction } from "./store-index.ts";
import { UnionStore } from "./union-store.ts";

/** What a watch is for; a child kind is watched once, however many kinds have such children. */
export type WatchRole = "resource" | "child" | "related" | "namespace";

export interface WatchedKind {
  readonly role: WatchRole;
  readonly kind: ObjectKind;
  readonly selector: string | undefined;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly store: WatchedStore;
  readonly reflector: Reflector;
}

export interface KindStoresInput {
  readonly kinds: readonly BoundKind[];
  /** Namespaces to watch; empty means all. */
  readonly namespaces: readonly string[];
  readonly sourceOf: (
    kind: ObjectKind,
    options: { role: WatchRole; selector: string | undefined; namespace: string | undefined },
  ) => WatchSource;
  /** Reduces objects that enter a store, in answers to our own writes too. Default: they are kept as they are. */
  readonly transformOf?: (
    kind: ObjectKind,
    options: { readonly role: WatchRole },
  ) => (object: LiveObject) => LiveObject;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** So long a namespace that refused a write is believed to be going away. */
const readmitAfterMs = 30_000;

/** The local copies of everything that the kinds need, one watch per kind, selector and namespace. */
export class KindStores implements Stores {
  readonly watched: readonly WatchedKind[];
  readonly #unions = new Map<string, ObjectStore>();
  // By the kind itself: a reconcile asks twenty times, and making the text that names a watch takes longer than finding it.
  readonly #resources = new Map<ObjectKind, ObjectStore>();
  readonly #children = new Map<ObjectKind, ObjectStore>();
  readonly #namespaces: ObjectStore | undefined;
  /** Namespaces that refused a write because they are going away. */
  readonly #refused = new Set<string>();
  readonly #onReadmit: ((namespace: string) => void)[] = [];
  readonly #clock: Clock;

  constructor(input: KindStoresInput) {
    this.#clock = input.clock;
    const wanted = new Map<string, WantedWatch>();
    const watch = (role: WatchRole, kind: ObjectKind, selector: string | undefined, more: Indexes): void => {
      const id = idOfWatch(role, kind, selector);
      const indexes = { ...wanted.get(id)?.indexes, ...more };
      wanted.set(id, { role, kind, selector, indexes });
    };
    for (const { definition, children, related } of input.kinds) {
      watch("resource", definition, undefined, { set: (object) => setOf(definition, object) });
      for (const child of children) watch("child", child, stamps.set, { set: setLabelOf });
      for (const one of related) {
        const { soughtKey } = one;
        watch("related", one.kind, one.selector, { [groupKindOf(definition)]: one.ownerKey });
        if (soughtKey === undefined) continue;
        watch("resource", definition, undefined, {
          [soughtIndexOf(one)]: (resource) => soughtKey(resource as CustomResource),
        });
      }
    }
    // A namespace's Role cannot allow a watch on namespaces; refused writes tell there.
    if (input.namespaces.length === 0) watch("namespace", Namespace, undefined, {});
    this.watched = [...wanted].flatMap(([id, one]) => {
      const parts = startsOf(one, input);
      this.#unions.set(id, UnionStore.of(parts.map(({ namespace, store }) => ({ namespace, store }))));
      return parts;
    });
    this.#namespaces = this.#unions.get(idOfWatch("namespace", Namespace, undefined));
  }

  resources(kind: ObjectKind): ObjectStore {
    return this.#resources.getOrInsertComputed(kind, () => this.#union("resource", kind, undefined));
  }

  children(kind: ObjectKind): ObjectStore {
    return this.#children.getOrInsertComputed(kind, () => this.#union("child", kind, stamps.set));
  }

  related(kind: ObjectKind, selector: string | undefined): ObjectStore {
    return this.#union("related", kind, selector);
  }

  isTerminating(namespace: string): boolean {
    const seen = this.#namespaces?.get(namespace);
    return seen?.metadata.deletionTimestamp !== undefined || this.#refused.has(namespace);
  }

  /**
   * A write was refused because the namespace is going away. That is believed for a while, and then looked at again, in
   * case it was made anew since: where we may not watch namespaces nothing else tells.
   */
  refuse(namespace: string): void {
    if (this.#refused.has(namespace)) return;
    this.#refused.add(namespace);
    this.#clock.schedule(readmitAfterMs, () => {
      this.#refused.delete(namespace);
      for (const tell of this.#onReadmit) tell(namespace);
    });
  }

  /** Calls `tell` whenever a namespace that was refused is worth another try. */
  onReadmit(tell: (namespace: string) => void): void {
    this.#onReadmit.push(tell);
  }

  /** Calls `handler` for every watched kind of a role. */
  subscribe(role: WatchRole, handlerOf: (watched: WatchedKind) => StoreHandler): void {
    for (const one of this.watched) if (one.role === role) one.store.subscribe(handlerOf(one));
  }

  #union(role: WatchRole, kind: ObjectKind, selector: string | undefined): ObjectStore {
    const store = this.#unions.get(idOfWatch(role, kind, selector));
    if (store === undefined)
      throw new Error(`Cannot read "${groupKindOf(kind)}": no kind declares it as ${role}`);
    return store;
  }
}

type Indexes = Readonly<Record<string, IndexFunction>>;

interface WantedWatch extends Pick<WatchedKind, "role" | "kind" | "selector"> {
  readonly indexes: Indexes;
}

/** A watch in every namespace that is looked at, or one for all of them. */
function startsOf(
  { role, kind, selector, indexes }: WantedWatch,
  { namespaces, sourceOf, transformOf, clock, random, log }: KindStoresInput,
): readonly WatchedKind[] {
  const places = namespaces.length === 0 || !kind.namespaced ? [undefined] : namespaces;
  const transform = transformOf?.(kind, { role });
  return places.map((namespace): WatchedKind => {
    const store = new WatchedStore({ kind, indexes, log, ...(transform && { transform }) });
    const source = sourceOf(kind, { role, selector, namespace });
    const reflector = new Reflector({ source, store, clock, random, log });
    return { role, kind, selector, namespace, store, reflector };
  });
}

/** Index of a kind's resources: what they look for related objects by. */
export function soughtIndexOf({ kind, selector }: Pick<RelatedObjects, "kind" | "selector">): string {
  return `sought ${idOfWatch("related", kind, selector)}`;
}

function idOfWatch(role: WatchRole, kind: ObjectKind, selector: string | undefined): string {
  return `${role} ${groupKindOf(kind)} ${selector ?? ""}`;
}

function setLabelOf({ metadata }: LiveObject): string | undefined {
  return metadata.labels?.[stamps.set];
}
