import type { LiveObject } from "../../crds/object.ts";
import type { Logger } from "../ports.ts";

/** Receives the changes of a store. Calls are synchronous: they put a key into a queue, and return. */
export interface StoreHandler {
  /** `initial`: it existed when the handler was added, or when the store was first filled. */
  added(object: LiveObject, options: { readonly initial: boolean }): void;
  /** Different uids: the object was deleted and recreated unobserved. */
  updated(old: LiveObject, object: LiveObject): void;
  /** `finalStateUnknown`: the deletion was not observed; `object` is the last known state. */
  deleted(object: LiveObject, options: { readonly finalStateUnknown: boolean }): void;
}

export interface Subscription {
  /** The store has synced, and the handler has received its whole content. */
  readonly hasSynced: boolean;
  unsubscribe(): void;
}

/** One call of a handler, as a value. */
export type Notification =
  | { readonly type: "added"; readonly object: LiveObject; readonly initial: boolean }
  | { readonly type: "updated"; readonly old: LiveObject; readonly object: LiveObject }
  | { readonly type: "deleted"; readonly object: LiveObject; readonly finalStateUnknown: boolean };

/** Calls the handler of a notification. */
export function notify(handler: StoreHandler, notification: Notification): void {
  const { object } = notification;
  if (notification.type === "added") handler.added(object, { initial: notification.initial });
  else if (notification.type === "updated") handler.updated(notification.old, object);
  else handler.deleted(object, { finalStateUnknown: notification.finalStateUnknown });
}

/** A user of a store, which reads and writes it. Undefined: the only one, or the first of several. */
export type StoreUser = object | undefined;

interface Entry {
  readonly handler: StoreHandler;
  readonly user: StoreUser;
  caughtUp: boolean;
}

/** The handlers of one store. A handler that throws loses only that notification. */
export class StoreHandlers {
  readonly #log: Pick<Logger, "error"> | undefined;
  #entries: readonly Entry[] = [];

  constructor(log: Pick<Logger, "error"> | undefined) {
    this.#log = log;
  }

  /** Adds a handler, which receives `current` first. */
  add(
    handler: StoreHandler,
    {
      user,
      current,
      store,
    }: { user: StoreUser; current: Iterable<LiveObject>; store: { readonly hasSynced: boolean } },
  ): Subscription {
    const entry: Entry = { handler, user, caughtUp: false };
    // A copy, because a handler may write to the store during the call.
    for (const object of [...current]) this.#notify(entry, { type: "added", object, initial: true });
    this.#entries = [...this.#entries, entry];
    entry.caughtUp = true;
    return {
      get hasSynced() {
        return entry.caughtUp && store.hasSynced;
      },
      unsubscribe: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  /** Notifies all handlers that were registered at the time of the change. */
  notify(notifications: readonly Notification[]): void {
    const entries = this.#entries;
    for (const notification of notifications) {
      for (const entry of entries) this.#notify(entry, notification);
    }
  }

  /** Notifies the handlers of all users except the one that made the change. */
  notifyOthers(user: StoreUser, notification: Notification): void {
    for (const entry of this.#entries) if (entry.user !== user) this.#notify(entry, notification);
  }

  #notify({ handler }: Entry, notification: Notification): void {
    try {
      notify(handler, notification);
    } catch (error) {
      const { name, namespace } = notification.object.metadata;
      this.#log?.error("A store handler failed; its notification is lost", { error, namespace, name });
    }
  }
}
