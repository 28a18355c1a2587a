import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { isSameJson } from "../../synth/same-json.ts";
import { isBuiltInGroup } from "../engine/built-in-group.ts";
import { compareResourceVersions, isNewer, newestOf } from "../engine/resource-version.ts";
import type { Logger, ObjectStore } from "../ports.ts";
import type { WatchEvent } from "./ports.ts";
import { StoreContent } from "./store-content.ts";
import { type StoreHandler, StoreHandlers, type StoreUser, type Subscription } from "./store-handlers.ts";
import type { IndexFunction } from "./store-index.ts";
import { OwnWrites } from "./store-own-writes.ts";
import { asNotifications, isSameVersion, replaceContent } from "./store-replace.ts";
import { SyncedGate } from "./synced-gate.ts";
import { yieldToEventLoop } from "./time-slice.ts";

export type { StoreHandler, Subscription } from "./store-handlers.ts";

export interface WatchedStoreInput {
  readonly kind: ObjectKind;
  /** Reduces an object when it enters, once per version; idempotent. */
  readonly transform?: (object: LiveObject) => LiveObject;
  readonly indexes: Readonly<Record<string, IndexFunction>>;
  readonly log?: Pick<Logger, "error">;
}

/** A local copy that handlers can follow. */
export interface FollowedStore extends ObjectStore {
  readonly size: number;
  /** Resolves when the store has synced; rejects with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Notifies the handler of all objects, flagged initial, then of every change, in order. */
  subscribe(handler: StoreHandler): Subscription;
}

/**
 * The objects of one kind as the server last showed them, to us or in answer to our own writes, whichever is newer (by
 * resourceVersion). Objects are never changed in place.
 *
 * Handlers receive all changes except our own writes, which the reconcile that made them already has, also when the
 * watch returns them. If several users share the store, each receives the writes of the others.
 */
export class WatchedStore implements FollowedStore {
  readonly kind: ObjectKind;
  readonly #transform: (object: LiveObject) => LiveObject;
  /** Objects are kept as the server sends them. */
  readonly #isWhole: boolean;
  readonly #content: StoreContent;
  readonly #own = new OwnWrites();
  readonly #handlers: StoreHandlers;
  readonly #gate = new SyncedGate();
  #wasFilled = false;
  /** Newest resourceVersion of a list or the watch: everything up to it has been received. */
  #seen = "";

  constructor({ kind, transform, indexes, log }: WatchedStoreInput) {
    this.kind = kind;
    this.#isWhole = transform === undefined;
    this.#transform = transform ?? ((object) => object);
    this.#content = new StoreContent(indexes);
    this.#handlers = new StoreHandlers(log);
  }

  get hasSynced(): boolean {
    return this.#gate.isOpen;
  }

  get size(): number {
    return this.#content.size;
  }

  /** Keys and uids of own writes and removals that the watch has not returned yet. */
  get ownWrites(): number {
    return this.#own.size;
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#gate.whenOpen(signal);
  }

  get(key: string): LiveObject | undefined {
    return this.#content.get(key);
  }

  list(): Iterable<LiveObject> {
    return this.#content.values();
  }

  byIndex(index: string, value: string): readonly LiveObject[] {
    return this.#content.byIndex(index, value);
  }

  subscribe(handler: StoreHandler, user?: StoreUser): Subscription {
    return this.#handlers.add(handler, { user, current: this.#content.values(), store: this });
  }

  /** The object as the store would keep it; the existing one, if it is equal. For {@link replace}. */
  prepare(object: LiveObject): LiveObject {
    const current = this.#content.get(keyOf(object));
    if (current === undefined || !isSameVersion(current, object)) return this.#transform(object);
    // A custom resource of one version has other fields after its definition has changed.
    const hasOtherFields = this.#isWhole && !isBuiltInGroup(this.kind.group) && !isSameJson(current, object);
    return hasOtherFields ? object : current;
  }

  /** Adds an event of the watch. Not during a {@link replace}. */
  apply(event: WatchEvent): void {
    if (event.type === "ERROR") return;
    if (event.type === "BOOKMARK") {
      this.#seen = newestOf(event.resourceVersion, this.#seen);
      this.#own.passBookmark(event.resourceVersion);
      return;
    }
    this.#seen = newestOf(event.object.metadata.resourceVersion, this.#seen);
    if (event.type === "DELETED") this.#drop(event.object);
    else this.#take(event.object);
  }

  /**
   * Replaces the content with a complete list. Handlers receive deletions first. Tens of thousands of objects
   * take longer than the event loop may be blocked: other work runs in between, and reads each object in its old
   * or its new state.
   *
   * @param listed By key, as {@link prepare} gave them.
   */
  async replace(listed: ReadonlyMap<string, LiveObject>, resourceVersion: string): Promise<void> {
    // A list is never older than the content, unless etcd was restored: then only the list counts.
    const isRewound = isNewer(this.#seen, resourceVersion);
    if (isRewound) this.#own.clear();
    // At once, so that a late response to a write cannot add an object again that is not in this list.
    this.#seen = resourceVersion;
    const [content, own, isFirst] = [this.#content, this.#own, !this.#wasFilled];
    const slices = replaceContent({ content, own, listed, resourceVersion, isRewound, isFirst });
    let sliced = false;
    for (const notifications of slices) {
      if (sliced) await yieldToEventLoop();
      sliced = true;
      this.#handlers.notify(notifications);
    }
    this.#wasFilled = true;
    this.#gate.open();
  }

  /** The server no longer has the kind: the content is invalid, and no object counts as deleted. */
  loseKind(): void {
    this.#gate.close();
  }

  written(object: LiveObject, user?: StoreUser): void {
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    if (this.#own.isGone(uid)) return;
    const current = this.#content.get(key);
    // Absent although the watch is further: another client deleted it before we received the response.
    const held = current?.metadata.resourceVersion ?? this.#seen;
    if (isNewer(resourceVersion, held)) {
      this.#own.add(key, object, current);
      const kept = this.#transform(object);
      this.#content.put(key, kept);
      this.#handlers.notifyOthers(
        user,
        current === undefined
          ? { type: "added", object: kept, initial: false }
          : { type: "updated", old: current, object: kept },
      );
    } else {
      this.#own.addOvertaken(key, resourceVersion);
      if (!this.#isWhole || current === undefined || !isSameVersion(current, object)) return;
      this.#content.put(key, object);
    }
    // The writer used a copy that lacked fields, because its watch is older than the definition.
    if (current !== undefined && this.#showsOtherFields(current, object))
      this.#handlers.notify([{ type: "updated", old: current, object }]);
  }

  /** Whether one generation of a custom resource has another spec than before: its definition has changed meanwhile. */
  #showsOtherFields(before: LiveObject, now: LiveObject): boolean {
    const { uid, generation } = now.metadata;
    if (!this.#isWhole || generation === undefined || isBuiltInGroup(this.kind.group)) return false;
    if (before.metadata.uid !== uid || before.metadata.generation !== generation) return false;
    return !isSameJson(before["spec"], now["spec"]);
  }

  /** Handlers receive it at once, because other resources may wait for the name. */
  removed(key: string, uid: string): void {
    const current = this.#content.get(key);
    const held = current?.metadata.uid === uid ? current : undefined;
    const newestVersion = newestOf(held?.metadata.resourceVersion ?? "", this.#seen);
    this.#own.addGone(uid, newestVersion);
    if (held === undefined) return;
    this.#own.removeHeld(key, newestVersion);
    this.#content.remove(key);
    this.#handlers.notify([{ type: "deleted", object: held, finalStateUnknown: false }]);
  }

  #take(object: LiveObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#own.isGone(uid)) return;
    const key = keyOf(object);
    const current = this.#content.get(key);
    if (current !== undefined && !isNewer(resourceVersion, current.metadata.resourceVersion)) {
      this.#handlers.notify(asNotifications(this.#own.passEvent(key, resourceVersion, current), current));
      return;
    }
    const kept = this.#transform(object);
    const old = this.#own.settle(key)?.known ?? current;
    this.#content.put(key, kept);
    this.#handlers.notify([
      old === undefined
        ? { type: "added", object: kept, initial: false }
        : { type: "updated", old, object: kept },
    ]);
  }

  #drop(object: LiveObject): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#own.settleGone(uid)) return;
    const key = keyOf(object);
    const current = this.#content.get(key);
    if (current === undefined) return;
    if (compareResourceVersions(resourceVersion, current.metadata.resourceVersion) < 0) {
      // Before our write it did not match our selector any more, or was another object.
      this.#handlers.notify(asNotifications(this.#own.passEvent(key, resourceVersion, current), current));
      return;
    }
    this.#content.remove(key);
    this.#own.settle(key);
    this.#handlers.notify([{ type: "deleted", object: this.#transform(object), finalStateUnknown: false }]);
  }
}
