import { setImmediate } from "node:timers/promises";
import type { Clock } from "../ports.ts";

/** Default time of work per turn of the event loop, in milliseconds. */
const BUDGET_MS = 8;

/** Lets timers, probes and other work run before the caller continues. */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
}

/**
 * Limits the time for which work without waits blocks the event loop: no timer fires until all promises have settled. A
 * slice ends with the turn of the event loop. Work that shares an instance shares its time.
 */
export class TimeSlice {
  readonly #clock: Pick<Clock, "now">;
  readonly #budgetMs: number;
  /** When our work in this turn began; undefined: not yet. */
  #sinceMs: number | undefined;

  /** Begins a slice. */
  constructor(clock: Pick<Clock, "now">, budgetMs: number = BUDGET_MS) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#begin();
  }

  /** Whether the work has used up its time in this turn. Call it between steps of the work. */
  get isOver(): boolean {
    return this.#clock.now() - this.#begin() > this.#budgetMs;
  }

  /** Continues in the next turn, with a new slice. Call it when the slice is over. */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#begin();
  }

  /** Runs work that yields between its steps. */
  async run<Result>(work: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      while (this.isOver) await this.next();
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }

  #begin(): number {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = this.#clock.now();
      void this.#endWithTurn();
    }
    return this.#sinceMs;
  }

  async #endWithTurn(): Promise<void> {
    await yieldToEventLoop();
    this.#sinceMs = undefined;
  }
}
