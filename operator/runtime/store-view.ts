import type { LiveObject, ObjectKind } from "../../crds/object.ts";
import type { FollowedStore, WatchedStore } from "./store.ts";
import type { StoreHandler, Subscription } from "./store-handlers.ts";

/**
 * A store for one of several users that share it. Its handlers receive the writes of the other users, and not those
 * through this view; so a kind that is both reconciled and related to another kind is watched and stored once.
 */
export class StoreView implements FollowedStore {
  readonly #store: WatchedStore;

  constructor(store: WatchedStore) {
    this.#store = store;
  }

  get kind(): ObjectKind {
    return this.#store.kind;
  }

  get hasSynced(): boolean {
    return this.#store.hasSynced;
  }

  get size(): number {
    return this.#store.size;
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#store.whenSynced(signal);
  }

  get(key: string): LiveObject | undefined {
    return this.#store.get(key);
  }

  list(): Iterable<LiveObject> {
    return this.#store.list();
  }

  byIndex(index: string, value: string): readonly LiveObject[] {
    return this.#store.byIndex(index, value);
  }

  subscribe(handler: StoreHandler): Subscription {
    return this.#store.subscribe(handler, this);
  }

  written(object: LiveObject): void {
    this.#store.written(object, this);
  }

  removed(key: string, uid: string): void {
    this.#store.removed(key, uid);
  }
}
