import { FairSemaphore, type Permit } from "../../runtime/fair-semaphore.ts";

/** Result of the last poll of a remote; "new" before the first one. */
export type Standing = "good" | "new" | "failing";

/**
 * Limits how many remotes are polled at once, in total and per namespace. Remotes that fail have separate permits: a
 * remote that hangs takes a permit only from other failing remotes, and a namespace with many of them only from itself.
 */
export class PollPermits {
  readonly #semaphores: Readonly<Record<Standing | "history", FairSemaphore>> = {
    good: new FairSemaphore({ permits: 16 }),
    new: new FairSemaphore({ permits: 24, perTenant: 4 }),
    failing: new FairSemaphore({ permits: 12, perTenant: 3 }),
    // Histories are on the disk beside the clones while they are read.
    history: new FairSemaphore({ permits: 4, perTenant: 1 }),
  };

  /** Waits for a permit to poll, or to fetch a history. @param namespace That of one of the resources. */
  acquire(standing: Standing | "history", namespace: string): Promise<Permit> {
    return this.#semaphores[standing].acquire(namespace);
  }
}
