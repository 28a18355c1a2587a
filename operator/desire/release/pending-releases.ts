import { namespaceIn } from "../../../crds/object.ts";

/** The Releases that wait for their source, for its render, or for rules of the platform, by namespace. */
export class PendingReleases {
  readonly #keys = new Map<string, Set<string>>();

  /** Records the result of a run. @returns The number of pending Releases of the namespace, without this one. */
  note(key: string, isPending: boolean): number {
    if (!isPending) this.forget(key);
    const namespace = namespaceIn(key);
    if (isPending) this.#keys.getOrInsertComputed(namespace, () => new Set()).add(key);
    return (this.#keys.get(namespace)?.size ?? 0) - (isPending ? 1 : 0);
  }

  /** Call it when a Release is not reconciled any more. */
  forget(key: string): void {
    const namespace = namespaceIn(key);
    const keys = this.#keys.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(namespace);
  }
}
