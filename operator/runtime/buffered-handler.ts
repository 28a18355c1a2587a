import type { Logger } from "../ports.ts";
import type { Notification, StoreHandler } from "./store-handlers.ts";

export interface BufferedHandler extends StoreHandler {
  /** Notifications that wait. */
  readonly pending: number;
}

/**
 * A store handler that may be slow: what it is told waits in a buffer of its own, in order, so that it holds up
 * nobody else. The buffer has no limit.
 */
export function bufferedHandler(
  consume: (notification: Notification) => Promise<void>,
  { log }: { readonly log: Pick<Logger, "error"> },
): BufferedHandler {
  let waiting: Notification[] = [];
  let pending = 0;
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      for (const notification of batch) {
        try {
          await consume(notification);
        } catch (error) {
          log.error("A store handler failed; its notification is lost", { error });
        }
        pending--;
      }
    }
    isDraining = false;
  }

  function push(notification: Notification): void {
    waiting.push(notification);
    pending++;
    if (!isDraining) void drain();
  }

  return {
    get pending() {
      return pending;
    },
    added: (object, { initial }) => push({ type: "added", object, initial }),
    updated: (old, object) => push({ type: "updated", old, object }),
    deleted: (object, { finalStateUnknown }) => push({ type: "deleted", object, finalStateUnknown }),
  };
}
