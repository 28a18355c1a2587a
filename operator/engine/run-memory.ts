/**
 * The memory of each resource between its runs, as values that do not change: the loop keeps what its steps return,
 * and nothing else writes here. It may be lost at a restart.
 */
export class RunMemory<Memory extends { readonly uid: string }> {
  readonly #kept = new Map<string, Memory>();

  find(key: string): Memory | undefined {
    return this.#kept.get(key);
  }

  /** The memory of exactly this resource; that of an earlier one of the same name is ignored. */
  of(key: string, uid: string): Memory | undefined {
    const kept = this.#kept.get(key);
    return kept?.uid === uid ? kept : undefined;
  }

  /** A run of the resource starts with this memory. */
  begin(key: string, memory: Memory): void {
    this.#kept.set(key, memory);
  }

  /**
   * Stores the result of a step.
   *
   * @returns Whether it was stored: not if the resource was deleted, or recreated, during the run.
   */
  keep(key: string, memory: Memory): boolean {
    if (this.of(key, memory.uid) === undefined) return false;
    this.#kept.set(key, memory);
    return true;
  }

  /** The resource was deleted. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
