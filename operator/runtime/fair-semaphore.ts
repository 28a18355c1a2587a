import type { Clock } from "../ports.ts";

/** Half-life of used time. */
const HALF_LIFE_MS = 60_000;
/** Less used time than this is dropped. */
const FORGOTTEN_MS = 1;

export interface FairSemaphoreOptions {
  /** Number of permits. */
  readonly permits: number;
  /** Maximum number of permits of one tenant. A single run may hold more. Default: all. */
  readonly perTenant?: number;
  /** Maximum number of permits of runs that are not old. Default: all. */
  readonly young?: number;
  /** If set, the tenant that used the least time is next. Default: tenants take turns. */
  readonly clock?: Clock;
  /** Whether runs of two tenants may overlap. Default: true. */
  readonly mixed?: boolean;
}

/** One or more permits, held by one run. */
export interface Permit {
  /** Marks the run as old: it takes long and no longer counts as young. */
  grow(): void;
  /** Calls `onWanted` once, when a run of another tenant waits for a permit. */
  offer(onWanted: () => void): void;
  release(): void;
}

export interface AcquireOptions {
  /** Permits that the run needs. Default: 1. A run that needs more than exist gets all of them. */
  readonly weight?: number;
}

interface Waiting {
  readonly tenant: string;
  readonly weight: number;
  readonly begin: (permit: Permit) => void;
}

interface Running {
  readonly tenant: string;
  readonly weight: number;
  readonly beganMs: number;
  isYoung: boolean;
  isOver: boolean;
  onWanted: (() => void) | undefined;
  /** `onWanted` was called, and the run has not released its permit yet. */
  isLeaving: boolean;
}

/**
 * A semaphore that is fair to tenants: a tenant with a thousand runs does not delay a tenant with one run. A run that
 * takes long can be marked as old, so that programs that loop until their timeout do not delay programs that take
 * milliseconds.
 */
export class FairSemaphore {
  readonly #options: Required<Omit<FairSemaphoreOptions, "clock">>;
  readonly #clock: Clock | undefined;
  readonly #used: UsedTime | undefined;
  /** In the order of their turns. A tenant is here only while it waits. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #running = new Set<Running>();
  readonly #heldBy = new Map<string, number>();
  #young = 0;
  #held = 0;

  constructor({ permits, perTenant = permits, young = permits, mixed = true, clock }: FairSemaphoreOptions) {
    this.#options = { permits, perTenant, young, mixed };
    this.#clock = clock;
    this.#used = clock && new UsedTime(clock);
  }

  /** Number of permits that are held. */
  get held(): number {
    return this.#held;
  }

  /** Waits for a permit. */
  acquire(tenant: string, options: AcquireOptions = {}): Promise<Permit> {
    return new Promise((resolve) => void this.request(tenant, resolve, options));
  }

  /** Calls `begin` when there is a permit, possibly at once. @returns Cancels the request, if it has not begun. */
  request(tenant: string, begin: (permit: Permit) => void, { weight = 1 }: AcquireOptions = {}): () => void {
    const waiting: Waiting = { tenant, begin, weight: Math.min(weight, this.#options.permits) };
    const queue = this.#waiting.getOrInsertComputed(tenant, () => new Set());
    queue.add(waiting);
    this.#fill();
    return () => {
      queue.delete(waiting);
      if (queue.size === 0 && this.#waiting.get(tenant) === queue) this.#waiting.delete(tenant);
      this.#fill();
    };
  }

  #fill(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.begin(this.#begin(next));
    this.#askForPermits();
  }

  /** Removes the next request from the queue. Undefined: it has to wait, or there is none. */
  #next(): Waiting | undefined {
    const { young, permits, perTenant, mixed } = this.#options;
    for (const tenant of this.#turns()) {
      const queue = this.#waiting.get(tenant);
      const [first] = queue ?? [];
      if (queue === undefined || first === undefined) continue;
      const own = this.#heldBy.get(tenant) ?? 0;
      if (own > 0 && own + first.weight > perTenant) continue;
      // Smaller requests of others do not overtake a large one, because it would wait forever.
      if (this.#young + first.weight > young || this.#held + first.weight > permits) return undefined;
      if (!mixed && this.#held > own) return undefined;
      queue.delete(first);
      this.#waiting.delete(tenant);
      if (queue.size > 0) this.#waiting.set(tenant, queue);
      return first;
    }
    return undefined;
  }

  #turns(): Iterable<string> {
    const used = this.#used;
    if (used === undefined) return this.#waiting.keys();
    return [...this.#waiting.keys()].toSorted((a, b) => used.of(a) - used.of(b));
  }

  /** Requests one offered permit for each tenant that waits for one, in addition to those requested before. */
  #askForPermits(): void {
    const tenants = [...this.#waiting].flatMap(([tenant, [first]]) =>
      first !== undefined && this.#isShortOfPermits(first) ? tenant : [],
    );
    let wanted = tenants.length - [...this.#running].filter(({ isLeaving }) => isLeaving).length;
    for (const run of this.#running) {
      if (wanted <= 0) return;
      const isWanted = tenants.some((tenant) => tenant !== run.tenant);
      if (run.onWanted === undefined || run.isLeaving || !isWanted) continue;
      run.isLeaving = true;
      wanted -= 1;
      run.onWanted();
    }
  }

  /** Whether a request waits for runs of other tenants to end, rather than for its own, or for a run to become old. */
  #isShortOfPermits({ tenant, weight }: Waiting): boolean {
    const { permits, perTenant, mixed } = this.#options;
    const own = this.#heldBy.get(tenant) ?? 0;
    const isOwn = own > 0 && own + weight > perTenant;
    return !isOwn && (this.#held + weight > permits || (!mixed && this.#held > own));
  }

  #begin({ tenant, weight }: Waiting): Permit {
    const beganMs = this.#clock?.now() ?? 0;
    const state = { isYoung: true, isOver: false, onWanted: undefined, isLeaving: false };
    const run: Running = { tenant, weight, beganMs, ...state };
    this.#running.add(run);
    this.#young += weight;
    this.#held += weight;
    this.#heldBy.set(tenant, (this.#heldBy.get(tenant) ?? 0) + weight);
    return {
      grow: () => {
        this.#leaveYoung(run);
        this.#fill();
      },
      offer: (onWanted) => {
        if (run.isOver) return;
        run.onWanted = onWanted;
        this.#askForPermits();
      },
      release: () => this.#end(run),
    };
  }

  #leaveYoung(run: Running): void {
    if (run.isYoung) this.#young -= run.weight;
    run.isYoung = false;
  }

  #end(run: Running): void {
    if (run.isOver) return;
    run.isOver = true;
    this.#leaveYoung(run);
    this.#running.delete(run);
    this.#held -= run.weight;
    const left = (this.#heldBy.get(run.tenant) ?? run.weight) - run.weight;
    if (left === 0) this.#heldBy.delete(run.tenant);
    else this.#heldBy.set(run.tenant, left);
    this.#used?.add(run.tenant, (this.#clock?.now() ?? 0) - run.beganMs);
    this.#fill();
  }
}

/** The recent run time of each tenant: used time counts half after a minute, a quarter after two. */
class UsedTime {
  readonly #clock: Clock;
  readonly #used = new Map<string, { readonly ms: number; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds, decayed. */
  of(tenant: string): number {
    const used = this.#used.get(tenant);
    return used === undefined ? 0 : used.ms * 0.5 ** ((this.#clock.now() - used.atMs) / HALF_LIFE_MS);
  }

  add(tenant: string, ms: number): void {
    const used = { ms: this.of(tenant) + ms, atMs: this.#clock.now() };
    this.#used.delete(tenant);
    this.#used.set(tenant, used);
    for (const other of this.#used.keys()) {
      if (this.of(other) >= FORGOTTEN_MS) return;
      this.#used.delete(other);
    }
  }
}
