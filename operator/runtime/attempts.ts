import type { LiveObject } from "../../crds/object.ts";
import { idOf, kindIn, type ObjectId, type ObjectKindId } from "../../synth/manifest.ts";
import { LostObjects } from "../engine/lost.ts";
import { Refusals } from "../engine/refusals.ts";
import { SettledObjects } from "../engine/settled.ts";
import type { Clock } from "../ports.ts";
import type { AddOptions } from "./queue.ts";

/** How long a node port or an address may stay in use after the deletion of its Service. */
const freedAfterMs = 1_000;
/** How long the API server may validate with the old definition of a kind after it accepted a new one, usually less. */
const servedAfterMs = 100;

export interface AttemptsInput {
  readonly clock: Clock;
  readonly queue: { add(key: string, options?: AddOptions): void };
}

/**
 * The memory of a controller about its attempts to apply: objects that were lost, refused or cannot be settled, and the
 * resources that wait for an object of another owner, by its id, or for a name or port that it holds, by its kind. It
 * is not needed after a restart.
 */
export class Attempts {
  readonly lost = new LostObjects();
  readonly settled = new SettledObjects();
  readonly refusals: Refusals;
  readonly #queue: AttemptsInput["queue"];
  readonly #blocked = new Map<ObjectId | ObjectKindId, Set<string>>();

  constructor({ clock, queue }: AttemptsInput) {
    this.refusals = new Refusals(clock);
    this.#queue = queue;
  }

  /** This object blocks a resource. */
  block(key: string, by: ObjectId | ObjectKindId): void {
    this.#blocked.getOrInsertComputed(by, () => new Set()).add(key);
  }

  /**
   * An object was deleted, with `owners` if it belonged to resources of this operator. Returns the keys that waited for
   * it, once.
   */
  objectGone(object: LiveObject, owners: readonly string[]): Iterable<string> {
    this.settled.forget(object);
    this.lost.note(object, owners);
    const id = idOf(object);
    // The server frees the names and ports of an object only after it has reported the deletion.
    for (const key of this.#unblock(kindIn(id))) this.#queue.add(key, { afterMs: freedAfterMs });
    return this.#unblock(id);
  }

  /** The definition of a kind has changed: a refused object may be accepted after a short time. */
  definitionChanged(kind: ObjectKindId): void {
    for (const key of this.#unblock(kind)) this.#queue.add(key, { afterMs: servedAfterMs });
  }

  /** The resource was deleted. */
  forget(key: string): void {
    this.refusals.forget(key);
    this.lost.forget(key);
    for (const [wanted, keys] of this.#blocked) {
      if (keys.delete(key) && keys.size === 0) this.#blocked.delete(wanted);
    }
  }

  #unblock(gone: ObjectId | ObjectKindId): Iterable<string> {
    const keys = this.#blocked.get(gone) ?? [];
    this.#blocked.delete(gone);
    for (const key of keys) this.refusals.forget(key);
    return keys;
  }
}
