import type { ObjectId, ObjectKindId } from "../../synth/manifest.ts";

/** Resources that want an object which somebody else has, by its id, or something that it holds, by its kind. */
export class BlockedKeys {
  readonly #waiting = new Map<ObjectId | ObjectKindId, Set<string>>();

  block(key: string, by: ObjectId | ObjectKindId): void {
    this.#waiting.getOrInsertComputed(by, () => new Set()).add(key);
  }

  /** The keys that waited for this, once: they are worth another try now. */
  release(gone: ObjectId | ObjectKindId): Iterable<string> {
    const keys = this.#waiting.get(gone) ?? [];
    this.#waiting.delete(gone);
    return keys;
  }

  /** The resource is gone. */
  forget(key: string): void {
    for (const [wanted, keys] of this.#waiting) {
      if (keys.delete(key) && keys.size === 0) this.#waiting.delete(wanted);
    }
  }
}
