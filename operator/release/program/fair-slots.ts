export interface FairSlotsOptions {
  /** Runs that nobody has had to wait long for yet. */
  readonly young: number;
  /** All runs, and those of one tenant. */
  readonly all: number;
  readonly perTenant: number;
}

/** A place to run in. */
export interface Slot {
  /** The run takes long: others need not wait for it. */
  grow(): void;
  release(): void;
}

interface Waiting {
  readonly tenant: string;
  readonly give: (slot: Slot) => void;
}

/**
 * Bounds how many programs run at a time. Tenants take turns; and a run that takes long gives its place among the young
 * away, so that programs which loop until their time is up do not hold up those that are done in milliseconds.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #ofTenant = new Map<string, number>();
  #young = 0;
  #all = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Waits for a place; places come in turn, tenant by tenant. */
  take(tenant: string): Promise<Slot> {
    const { promise, resolve } = Promise.withResolvers<Slot>();
    const queue = this.#waiting.get(tenant) ?? [];
    queue.push({ tenant, give: resolve });
    this.#waiting.set(tenant, queue);
    this.#fill();
    return promise;
  }

  #fill(): void {
    while (this.#young < this.#options.young && this.#all < this.#options.all) {
      const next = this.#next();
      if (next === undefined) return;
      next.give(this.#slotOf(next.tenant));
    }
  }

  /** The first of the tenant whose turn it is; that tenant then comes last. */
  #next(): Waiting | undefined {
    for (const [tenant, queue] of this.#waiting) {
      if ((this.#ofTenant.get(tenant) ?? 0) >= this.#options.perTenant) continue;
      this.#waiting.delete(tenant);
      const next = queue.shift();
      if (queue.length > 0) this.#waiting.set(tenant, queue);
      if (next !== undefined) return next;
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
