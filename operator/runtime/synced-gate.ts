/** A gate that callers wait for. It can be closed again. */
export class SyncedGate {
  #isOpen = false;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when the gate is open; rejects with the signal's reason. */
  whenOpen(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#isOpen) return resolve();
      const onAbort = (): void => {
        this.#waiting.delete(onOpen);
        reject(signal.reason);
      };
      const onOpen = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.add(onOpen);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
