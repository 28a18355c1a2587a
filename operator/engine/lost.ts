import type { LiveObject } from "../../crds/object.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";

/**
 * Desired objects that another client has deleted, until they are recreated. The recreation causes one event. Our own
 * deletions are not recorded.
 */
export class LostObjects {
  /** Uids of objects that we delete, until their deletion is observed. */
  readonly #deletedByUs = new Set<string>();
  readonly #byResource = new Map<string, Set<ObjectId>>();

  /** Records our own deletion. Call it before the request, because the watch may report the deletion before the response arrives. */
  expect({ metadata }: LiveObject): void {
    this.#deletedByUs.add(metadata.uid);
  }

  /** Removes the record after a failed request. If the object is deleted nevertheless, another client may have deleted it. */
  unexpect({ metadata }: LiveObject): void {
    this.#deletedByUs.delete(metadata.uid);
  }

  /** Records the deletion of a child of these resources. */
  note(child: LiveObject, keys: readonly string[]): void {
    if (this.#deletedByUs.delete(child.metadata.uid)) return;
    for (const key of keys) this.#byResource.getOrInsertComputed(key, () => new Set()).add(idOf(child));
  }

  /** Whether another client has deleted an object of a resource. */
  has(key: string, id: ObjectId): boolean {
    return this.#byResource.get(key)?.has(id) ?? false;
  }

  /** Whether another client had deleted an object that was just recreated. True only once. */
  take(key: string, id: ObjectId): boolean {
    return this.#byResource.get(key)?.delete(id) ?? false;
  }

  /** Removes all records of a resource that is complete or was deleted. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}
