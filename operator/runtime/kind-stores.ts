import type { DeclaredKind, RelatedObjects } from "../../crds/binding.ts";
import { Namespace } from "../../crds/core-kinds.ts";
import { type CustomResource, groupKindOf, type ObjectKind } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { ADDED_INDEX, addedManagersOf } from "../engine/added-index.ts";
import type { ObjectStore, Stores } from "../ports.ts";
import type { StoreHandler } from "./store.ts";
import { UnionStore } from "./union-store.ts";
import {
  type Indexes,
  prepareWatches,
  setLabelOf,
  type WantedWatch,
  type WatchedKind,
  type WatchesInput,
  type WatchRole,
} from "./watched-kind.ts";

export type { WatchedKind, WatchRole } from "./watched-kind.ts";

export interface KindStoresInput extends WatchesInput {
  readonly kinds: readonly DeclaredKind[];
}

/** How long a namespace that refused a write counts as terminating. */
const readmitAfterMs = 30_000;

/**
 * The local copies of all objects that the operator watches, one watch per kind, selector and namespace: those that the kinds
 * declare, and those of kinds that are found on demand.
 */
export class KindStores implements Stores {
  /** Watches that the kinds declare. */
  readonly watched: readonly WatchedKind[];
  /** Watches that were started on demand. */
  readonly found: WatchedKind[] = [];
  readonly #input: KindStoresInput;
  #running: { readonly signal: AbortSignal; readonly watches: Promise<void>[] } | undefined;
  readonly #unions = new Map<string, ObjectStore>();
  // Indexed by the kind itself: a reconcile needs twenty lookups, and building the text that names a watch takes longer
  // than the lookup.
  readonly #resources = new Map<ObjectKind, ObjectStore>();
  readonly #children = new Map<ObjectKind, ObjectStore>();
  readonly #namespaces: ObjectStore | undefined;
  /** Namespaces that refused a write because they are terminating. */
  readonly #refused = new Set<string>();
  readonly #onReadmit: ((namespace: string) => void)[] = [];

  constructor(input: KindStoresInput) {
    this.#input = input;
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
        if (one.fields) watch("related", one.kind, one.selector, { [ADDED_INDEX]: addedManagersOf });
        if (soughtKey === undefined) continue;
        watch("resource", definition, undefined, {
          [soughtIndexOf(one)]: (resource) => soughtKey(resource as CustomResource),
        });
      }
    }
    // A namespace's Role cannot allow a watch on namespaces; refused writes report it there.
    if (input.namespaces.length === 0) watch("namespace", Namespace, undefined, {});
    this.watched = shareWatches(wanted, input).flatMap((one) => prepareWatches(one, input));
    const partsOf = Map.groupBy(this.watched, ({ role, kind, selector }) => idOfWatch(role, kind, selector));
    for (const [id, parts] of partsOf) this.#unions.set(id, UnionStore.of(parts));
    this.#namespaces = this.#unions.get(idOfWatch("namespace", Namespace, undefined));
  }

  /** Runs all watches, also those that are started later, until the signal aborts. Call it once. */
  async run(signal: AbortSignal): Promise<void> {
    const reflectors = new Set([...this.watched, ...this.found].map(({ reflector }) => reflector));
    const watches = [...reflectors].map((reflector) => reflector.run(signal));
    this.#running = { signal, watches };
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await Promise.all(watches);
  }

  /**
   * Starts a watch of the objects of a kind that are in some set. The watch runs after {@link run} was called. A kind
   * that is a declared child, too, is not watched twice. Call it once for each kind.
   *
   * @param missingKindWaitMs How long to wait while the API server does not serve the kind.
   */
  begin(kind: ObjectKind, missingKindWaitMs: WatchesInput["missingKindWaitMs"]): readonly WatchedKind[] {
    const declared = this.watched.filter(
      ({ role, kind: child }) =>
        role === "child" && groupKindOf(child) === groupKindOf(kind) && child.version === kind.version,
    );
    if (declared.length > 0) return declared;
    const wanted = { role: "child", kind, selector: stamps.set, indexes: { set: setLabelOf } } as const;
    const parts = prepareWatches(wanted, { ...this.#input, missingKindWaitMs });
    this.found.push(...parts);
    const running = this.#running;
    running?.watches.push(...parts.map(({ reflector }) => reflector.run(running.signal)));
    return parts;
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

  /** The watched namespaces; undefined: this operator may not watch them. */
  findNamespaces(): ObjectStore | undefined {
    return this.#namespaces;
  }

  isTerminating(namespace: string): boolean {
    const seen = this.#namespaces?.get(namespace);
    return seen?.metadata.deletionTimestamp !== undefined || this.#refused.has(namespace);
  }

  /**
   * A write was refused because the namespace is terminating. This is assumed for some time, and then checked again,
   * because the namespace may have been recreated: without a watch on namespaces there is no other report.
   */
  refuse(namespace: string): void {
    if (this.#refused.has(namespace)) return;
    this.#refused.add(namespace);
    this.#input.clock.schedule(readmitAfterMs, () => {
      this.#refused.delete(namespace);
      for (const notify of this.#onReadmit) notify(namespace);
    });
  }

  /** Calls the listener when a write to a refused namespace may be retried. */
  onReadmit(notify: (namespace: string) => void): void {
    this.#onReadmit.push(notify);
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

/** Index of a kind's resources: the values by which they find related objects. */
export function soughtIndexOf({ kind, selector }: Pick<RelatedObjects, "kind" | "selector">): string {
  return `sought ${idOfWatch("related", kind, selector)}`;
}

/** A kind that is reconciled, and of which another kind reads all objects unreduced, is watched once for both. */
function shareWatches(
  wanted: ReadonlyMap<string, WantedWatch>,
  { transformOf }: WatchesInput,
): readonly WantedWatch[] {
  const isReduced = ({ role, kind }: WantedWatch) => transformOf?.(kind, { role }) !== undefined;
  const relatedOf = (one: WantedWatch): WantedWatch | undefined => {
    const related =
      one.role === "resource" ? wanted.get(idOfWatch("related", one.kind, undefined)) : undefined;
    return related && (isReduced(one) || isReduced(related)) ? undefined : related;
  };
  const shared = new Set(wanted.values().map(relatedOf));
  return [...wanted.values()]
    .filter((one) => !shared.has(one))
    .map((one) => {
      const related = relatedOf(one);
      return related
        ? { ...one, indexes: { ...one.indexes, ...related.indexes }, alsoFor: related.role }
        : one;
    });
}

function idOfWatch(role: WatchRole, kind: ObjectKind, selector: string | undefined): string {
  return `${role} ${groupKindOf(kind)} ${selector ?? ""}`;
}
