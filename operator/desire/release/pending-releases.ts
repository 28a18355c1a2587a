/** The Releases that wait for their source, for its render, or for rules of the platform. */
export class PendingReleases {
  readonly #keys = new Set<string>();

  /** Records the result of a run. @returns The number of pending Releases, without this one. */
  note(key: string, isPending: boolean): number {
    if (isPending) this.#keys.add(key);
    else this.#keys.delete(key);
    return this.#keys.size - (isPending ? 1 : 0);
  }

  /** Call it when a Release no longer exists. */
  forget(key: string): void {
    this.#keys.delete(key);
  }
}
