import type { Clock } from "../../ports.ts";
import { UsedTime } from "./used-time.ts";

export interface FairSlotsOptions {
  /** Places in all. */
  readonly all: number;
  /** Places of one tenant. A single run may take more. Default: all. */
  readonly perTenant?: number;
  /** Places of runs that have not grown old. Default: all. */
  readonly young?: number;
  /** Given: the tenant that used the least time is next. Default: tenants take turns. */
  readonly clock?: Clock;
  /** Whether runs of two tenants may overlap. Default: true. */
  readonly mixed?: boolean;
}

/** One or more places to run in. */
export interface Slot {
  /** The run takes long and no longer occupies a young place. */
  grow(): void;
  /** Calls `onWanted` once, as soon as a run of another tenant waits for a place. */
  offer(onWanted: () => void): void;
  release(): void;
}

export interface AskOptions {
  /** Places that the run takes. Default: 1. A run that takes more than all places gets all of them. */
  readonly weight?: number;
}

interface Waiting {
  readonly tenant: string;
  readonly weight: number;
  readonly begin: (slot: Slot) => void;
}

interface Running {
  readonly tenant: string;
  readonly weight: number;
  readonly beganMs: number;
  isYoung: boolean;
  isOver: boolean;
  onWanted: (() => void) | undefined;
  /** `onWanted` was called, and the run has not released its place yet. */
  isLeaving: boolean;
}

/**
 * A semaphore that is fair to tenants: a tenant with a thousand runs does not delay a tenant with one run. A run that takes
 * long can give up its young place, so that programs that loop until their timeout do not delay programs that take milliseconds.
 */
export class FairSlots {
  readonly #options: Required<Omit<FairSlotsOptions, "clock">>;
  readonly #clock: Clock | undefined;
  readonly #used: UsedTime | undefined;
  /** In the order of their turns. A tenant is here only while it waits. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #running = new Set<Running>();
  readonly #placesOf = new Map<string, number>();
  #young = 0;
  #all = 0;

  constructor({ all, perTenant = all, young = all, mixed = true, clock }: FairSlotsOptions) {
    this.#options = { all, perTenant, young, mixed };
    this.#clock = clock;
    this.#used = clock && new UsedTime(clock);
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#all;
  }

  /** Waits for a place. */
  take(tenant: string, options: AskOptions = {}): Promise<Slot> {
    return new Promise((resolve) => void this.ask(tenant, resolve, options));
  }

  /** Calls `begin` as soon as there is a place, perhaps at once. @returns Cancels the request, if it has not begun. */
  ask(tenant: string, begin: (slot: Slot) => void, { weight = 1 }: AskOptions = {}): () => void {
    const waiting: Waiting = { tenant, begin, weight: Math.min(weight, this.#options.all) };
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
    this.#askForPlaces();
  }

  /** The request whose turn it is, taken out of the queue. Undefined: it has to wait, or there is none. */
  #next(): Waiting | undefined {
    const { young, all, perTenant, mixed } = this.#options;
    for (const tenant of this.#turns()) {
      const queue = this.#waiting.get(tenant);
      const [first] = queue ?? [];
      if (queue === undefined || first === undefined) continue;
      const own = this.#placesOf.get(tenant) ?? 0;
      if (own > 0 && own + first.weight > perTenant) continue;
      // Smaller requests of others do not overtake a large one: it would wait for ever.
      if (this.#young + first.weight > young || this.#all + first.weight > all) return undefined;
      if (!mixed && this.#all > own) return undefined;
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

  /** Asks for one offered place for each tenant that waits for one, apart from those that were asked for before. */
  #askForPlaces(): void {
    const tenants = [...this.#waiting].flatMap(([tenant, [first]]) =>
      first !== undefined && this.#isShortOfPlaces(first) ? tenant : [],
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

  /** Whether a request waits for runs of other tenants to end, rather than for its own, or for a run to grow old. */
  #isShortOfPlaces({ tenant, weight }: Waiting): boolean {
    const { all, perTenant, mixed } = this.#options;
    const own = this.#placesOf.get(tenant) ?? 0;
    const isOwn = own > 0 && own + weight > perTenant;
    return !isOwn && (this.#all + weight > all || (!mixed && this.#all > own));
  }

  #begin({ tenant, weight }: Waiting): Slot {
    const beganMs = this.#clock?.now() ?? 0;
    const state = { isYoung: true, isOver: false, onWanted: undefined, isLeaving: false };
    const run: Running = { tenant, weight, beganMs, ...state };
    this.#running.add(run);
    this.#young += weight;
    this.#all += weight;
    this.#placesOf.set(tenant, (this.#placesOf.get(tenant) ?? 0) + weight);
    return {
      grow: () => {
        this.#leaveYoung(run);
        this.#fill();
      },
      offer: (onWanted) => {
        if (run.isOver) return;
        run.onWanted = onWanted;
        this.#askForPlaces();
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
    this.#all -= run.weight;
    const left = (this.#placesOf.get(run.tenant) ?? run.weight) - run.weight;
    if (left === 0) this.#placesOf.delete(run.tenant);
    else this.#placesOf.set(run.tenant, left);
    this.#used?.add(run.tenant, (this.#clock?.now() ?? 0) - run.beganMs);
    this.#fill();
  }
}
