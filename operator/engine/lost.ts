import type { LiveObject } from "../../crds/object.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";

/**
 * Desired objects that another client has deleted, until they are recreated. The recreation causes one event. Our own
 * deletions are not recorded.
 */
export class LostObjects {
  /** Uids of objects that we delete, until their deletion is observed. */
  readonly #deletedByUs = new Set<string>();
  /** Uids of the lost objects. */
  readonly #byResource = new Map<string, Map<ObjectId, string>>();

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
    for (const key of keys)
      this.#byResource.getOrInsertComputed(key, () => new Map()).set(idOf(child), child.metadata.uid);
  }

  /** Whether another client has deleted an object of a resource. */
  has(key: string, id: ObjectId): boolean {
    return this.#byResource.get(key)?.has(id) ?? false;
  }

  /**
   * Whether another client had deleted an object that was just recreated. True only once. If the recreated object itself
   * is lost, because its deletion was observed before the response, it remains recorded.
   */
  take(key: string, recreated: LiveObject): boolean {
    const id = idOf(recreated);
    const lost = this.#byResource.get(key);
    const gone = lost?.get(id);
    if (gone === undefined || gone === recreated.metadata.uid) return false;
    lost?.delete(id);
    return true;
  }

  /**
   * Removes the records of a resource that is complete, except of objects that were lost after they were found or applied.
   *
   * @param isMissing Whether an object is desired, and absent from the local copy.
   */
  settle(key: string, isMissing: (id: ObjectId) => boolean): void {
    const lost = this.#byResource.get(key);
    for (const id of lost?.keys() ?? []) if (!isMissing(id)) lost?.delete(id);
    if (lost?.size === 0) this.#byResource.delete(key);
  }

  /** Removes all records of a resource that was deleted. */
  forget(key: string): void {
    this.#byResource.delete(key);
  }
}
