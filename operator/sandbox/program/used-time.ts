import type { Clock } from "../../ports.ts";

/** Time after which used time counts half. */
const HALF_LIFE_MS = 60_000;
/** Less than this is forgotten. */
const FORGOTTEN_MS = 1;

interface Used {
  readonly ms: number;
  readonly atMs: number;
}

/** How long each tenant ran lately: used time counts half after a minute, a quarter after two. */
export class UsedTime {
  readonly #clock: Clock;
  readonly #used = new Map<string, Used>();

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
