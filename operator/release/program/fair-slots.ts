export interface FairSlotsOptions {
  /** All runs at a time. */
  readonly all: number;
  /** Those of one tenant. Default: all. */
  readonly perTenant?: number;
  /** Those that nobody has had to wait long for yet. Default: all. */
  readonly young?: number;
}

/** A place to run in. */
export interface Slot {
  /** The run takes long: others need not wait for it. */
  grow(): void;
  release(): void;
}

interface Waiting {
  readonly tenant: string;
  readonly begin: (slot: Slot) => void;
}

/**
 * Bounds how many runs go on at a time. Tenants take turns: one with a thousand runs does not hold up one with a single
 * run. And a run that takes long may give its place among the young away, so that programs which loop until their time is
 * up do not hold up those that are done in milliseconds.
 */
export class FairSlots {
  readonly #limits: Required<FairSlotsOptions>;
  /** In the order of their turns; a tenant that is here waits. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #ofTenant = new Map<string, number>();
  #young = 0;
  #all = 0;

  constructor({ all, perTenant = all, young = all }: FairSlotsOptions) {
    this.#limits = { all, perTenant, young };
  }

  /** Waits for a place; places come in turn, tenant by tenant. */
  take(tenant: string): Promise<Slot> {
    return new Promise((resolve) => void this.ask(tenant, resolve));
  }

  /** Begins as soon as there is a place, perhaps at once. @returns Takes it out again, if it has not begun. */
  ask(tenant: string, begin: (slot: Slot) => void): () => void {
    const waiting: Waiting = { tenant, begin };
    const queue = this.#waiting.getOrInsertComputed(tenant, () => new Set());
    queue.add(waiting);
    this.#fill();
    return () => {
      queue.delete(waiting);
      if (queue.size === 0 && this.#waiting.get(tenant) === queue) this.#waiting.delete(tenant);
    };
  }

  #fill(): void {
    const { young, all } = this.#limits;
    while (this.#young < young && this.#all < all) {
      const next = this.#next();
      if (next === undefined) return;
      next.begin(this.#slotOf(next.tenant));
    }
  }

  /** The first of the tenant whose turn it is; that tenant then comes last. */
  #next(): Waiting | undefined {
    for (const [tenant, queue] of this.#waiting) {
      if ((this.#ofTenant.get(tenant) ?? 0) >= this.#limits.perTenant) continue;
      const [next] = queue;
      if (next === undefined) continue;
      queue.delete(next);
      this.#waiting.delete(tenant);
      if (queue.size > 0) this.#waiting.set(tenant, queue);
      return next;
    }
    return undefined;
  }

  #slotOf(tenant: string): Slot {
    let [isYoung, isOver] = [true, false];
    this.#young += 1;
    this.#all += 1;
    this.#ofTenant.set(tenant, (this.#ofTenant.get(tenant) ?? 0) + 1);
    const grow = (): void => {
      if (!isYoung) return;
      isYoung = false;
      this.#young -= 1;
      this.#fill();
    };
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      this.#all -= 1;
      const left = (this.#ofTenant.get(tenant) ?? 1) - 1;
      if (left === 0) this.#ofTenant.delete(tenant);
      else this.#ofTenant.set(tenant, left);
      if (isYoung) this.#young -= 1;
      isYoung = false;
      this.#fill();
    };
    return { grow, release };
  }
}
