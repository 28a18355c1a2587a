/**
 * Stores immutable state of each resource between its runs. Only the reconcile loop writes it, with the results of its
 * steps. It is lost at a restart.
 */
export class RunMemory<Memory extends { readonly uid: string }> {
  readonly #kept = new Map<string, Memory>();

  find(key: string): Memory | undefined {
    return this.#kept.get(key);
  }

  /** The state of exactly this resource. The state of an earlier resource of the same name is ignored. */
  of(key: string, uid: string): Memory | undefined {
    const kept = this.#kept.get(key);
    return kept?.uid === uid ? kept : undefined;
  }

  /** Stores the state at the start of a run. */
  begin(key: string, memory: Memory): void {
    this.#kept.set(key, memory);
  }

  /**
   * Stores the result of a step.
   *
   * @returns Whether it was stored. It is not if the resource was deleted or recreated during the run.
   */
  keep(key: string, memory: Memory): boolean {
    if (this.of(key, memory.uid) === undefined) return false;
    this.#kept.set(key, memory);
    return true;
  }

  /** Removes the state of a deleted resource. */
  forget(key: string): void {
    this.#kept.delete(key);
  }
}
