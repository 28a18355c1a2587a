/**
 * Runs a few tasks at a time, and lets lanes (tenants) take turns: one with a thousand tasks does not hold up one with a
 * single task.
 */
export class FairQueue {
  readonly #slots: number;
  /** In the order of their turns; a lane that is here has tasks. */
  readonly #lanes = new Map<string, Set<() => Promise<void>>>();
  #running = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** @returns Takes the task out again, if it has not begun. */
  add(lane: string, task: () => Promise<void>): () => void {
    const tasks = this.#lanes.getOrInsertComputed(lane, () => new Set());
    tasks.add(task);
    this.#next();
    return () => {
      tasks.delete(task);
      if (tasks.size === 0 && this.#lanes.get(lane) === tasks) this.#lanes.delete(lane);
    };
  }

  #next(): void {
    while (this.#running < this.#slots) {
      const [lane, tasks] = this.#lanes.entries().next().value ?? [];
      if (lane === undefined || tasks === undefined) return;
      const [task] = tasks;
      this.#lanes.delete(lane);
      if (task === undefined) continue;
      tasks.delete(task);
      if (tasks.size > 0) this.#lanes.set(lane, tasks);
      void this.#run(task);
    }
  }

  async #run(task: () => Promise<void>): Promise<void> {
    this.#running++;
    try {
      await task();
    } finally {
      this.#running--;
      this.#next();
    }
  }
}
