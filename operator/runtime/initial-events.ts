import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { Clock, Logger } from "../ports.ts";
import type { WatchEvent } from "./ports.ts";

/** Interval of the warnings that the end of the initial events is still missing. */
const warnEveryMs = 10_000;
/** After this number of warnings without an event in between, the server does not support the request. */
const quietWarnings = 3;

export interface InitialEventsInput {
  readonly clock: Clock;
  readonly log: Logger;
  readonly prepare: (object: LiveObject) => LiveObject;
  /** No further events arrive, and the end was not announced. */
  readonly onStall: () => void;
}

/** Collects the objects that a watch with `sendInitialEvents` sends before it announces their end. */
export class InitialEvents {
  readonly #input: InitialEventsInput;
  #objects = new Map<string, LiveObject>();
  #cancelWarning: () => void;
  #events = 0;
  #quiet = 0;

  constructor(input: InitialEventsInput) {
    this.#input = input;
    this.#cancelWarning = this.#watchOver(input.clock.now(), 0);
  }

  /** Returns and removes the received objects, by key. */
  take(): ReadonlyMap<string, LiveObject> {
    const objects = this.#objects;
    this.#objects = new Map();
    return objects;
  }

  add({ type, object }: Extract<WatchEvent, { object: LiveObject }>): undefined {
    this.#events++;
    if (type === "DELETED") this.#objects.delete(keyOf(object));
    else this.#objects.set(keyOf(object), this.#input.prepare(object));
  }

  /** The end was announced, or the watch has ended. */
  stop(): void {
    this.#cancelWarning();
  }

  #watchOver(startMs: number, seen: number): () => void {
    const { clock, log, onStall } = this.#input;
    return clock.schedule(warnEveryMs, () => {
      const waitedSeconds = Math.round((clock.now() - startMs) / 1_000);
      log.warn("Still waiting for the end of the initial events", {
        waitedSeconds,
        objects: this.#objects.size,
      });
      this.#quiet = this.#events === seen ? this.#quiet + 1 : 0;
      if (this.#quiet === quietWarnings) onStall();
      else this.#cancelWarning = this.#watchOver(startMs, this.#events);
    });
  }
}
