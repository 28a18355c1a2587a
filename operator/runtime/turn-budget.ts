import { setImmediate } from "node:timers/promises";
import type { Clock } from "../ports.ts";

/** So long may promises run on before timers, probes and the lease renewal get their turn. */
const BUDGET_MS = 8;

/**
 * Keeps the event loop alive through work that never waits for anything, such as thousands of resources with
 * nothing to do: promises alone would not let a single timer fire until all of them are through.
 */
export class TurnBudget {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isSpent(): boolean {
    if (this.#sinceMs !== undefined) return this.#clock.now() - this.#sinceMs > BUDGET_MS;
    this.#sinceMs = this.#clock.now();
    void this.#renew();
    return false;
  }

  /** Call it while the budget is spent. */
  async nextTurn(): Promise<void> {
    await setImmediate();
  }

  async #renew(): Promise<void> {
    await setImmediate();
    this.#sinceMs = undefined;
  }
}
