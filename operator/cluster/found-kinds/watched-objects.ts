import { groupKindOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import type { WatchedObjects } from "../../engine/desired-set.ts";

import type { ObjectStore } from "../../ports.ts";
import type { WatchedKind } from "../../runtime/kind-stores.ts";
import { UnionStore } from "../../runtime/union-store.ts";

export interface WatchedObjectsOptions {
  /** Requeues resources. */
  readonly wake: (keys: Iterable<string>) => void;
  /** The resources that own an object. */
  readonly ownersOf: (object: LiveObject) => Iterable<string>;
  /** Called when the server has removed the kind, or serves it again. */
  readonly onServed: () => void;
}

/** The objects of one kind that belong to a set: one watch, or one for each watched namespace. */
export class KindObjects implements WatchedObjects {
  readonly kind: ObjectKind;
  readonly store: ObjectStore;
  readonly parts: readonly WatchedKind[];
  readonly #options: WatchedObjectsOptions;
  /** Resources that wait until all objects are known. */
  readonly #waiting = new Set<string>();
  #isMissing = false;

  constructor(kind: ObjectKind, parts: readonly WatchedKind[], options: WatchedObjectsOptions) {
    this.kind = kind;
    this.parts = parts;
    this.#options = options;
    this.store = UnionStore.of(parts);
    for (const part of parts) part.reflector.onState(() => this.#learn(part));
  }

  get hasSynced(): boolean {
    return this.store.hasSynced;
  }

  get refusal(): string | undefined {
    const refused = this.parts.filter(({ reflector }) => reflector.state.state === "forbidden");
    if (refused.length === 0) return undefined;
    const { group, plural } = this.kind;
    const places = refused.map(({ namespace }) => namespace).filter((place) => place !== undefined);
    const where =
      places.length === 0 ? "" : ` in ${places.map((place) => `namespace "${place}"`).join(", ")}`;
    return [
      `the operator may not list and watch ${groupKindOf(this.kind)}${where};`,
      `add {group: "${group}", resource: ${plural}} to the value releases.kinds of its installation,`,
      "or bind a role with these verbs to it",
    ].join(" ");
  }

  /** Requeues the resource when the objects are known, or the reason why not. */
  wait(key: string): void {
    if (!this.hasSynced || this.refusal !== undefined) this.#waiting.add(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  #learn({ reflector }: WatchedKind): void {
    const { wake, ownersOf, onServed } = this.#options;
    const { state } = reflector.state;
    if (state === "starting" || state === "initializing" || state === "failing") return;
    const isMissing = state === "waiting-for-kind";
    if (isMissing || this.#isMissing) onServed();
    this.#isMissing = isMissing;
    // Resources whose objects are no longer visible must be reconciled.
    const owners =
      state === "synced" ? [] : [...this.store.list()].flatMap((object) => [...ownersOf(object)]);
    const keys = new Set([...this.#waiting, ...owners]);
    this.#waiting.clear();
    if (keys.size > 0) wake(keys);
  }
}
