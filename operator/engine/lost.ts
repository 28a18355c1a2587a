import type { LiveObject } from "../../crds/object.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";

/**
 * Objects that another client deleted although their resource wants them, until they are recreated: this causes one event.
 * Our own deletions are not among them.
 */
export class LostObjects {
  /** Uids of our own deletions, until their end was observed. */
  readonly #deletedByUs = new Set<string>();
  readonly #byResource = new Map<string, Set<ObjectId>>();

  /** To be called before the request, because the watch may be faster than its answer. */
  expect({ metadata }: LiveObject): void {
    this.#deletedByUs.add(metadata.uid);
  }

  /** The request failed: if the object is nevertheless deleted, another client may have deleted it. */
  unexpect({ metadata }: LiveObject): void {
    this.#deletedByUs.delete(metadata.uid);
  }

  /** A child of these resources was deleted. */
  note(child: LiveObject, keys: readonly string[]): void {
    if (this.#deletedByUs.delete(child.metadata.uid)) return;
    for (const key of keys) this.#byResource.getOrInsertComputed(key, () => new Set()).add(idOf(child));
  }

  /** Whether an object was lost. */
  has(key: string, id: ObjectId): boolean {
    return this.#byResource.get(key)?.has(id) ?? false;
  }

  /** Whether an object that was just created for a resource had been lost. Reported once. */
  take(key: string, id: ObjectId): boolean {
    return this.#byResource.get(key)?.delete(id) ?? false;
  }

  /** The resource is complete, or was deleted. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}
