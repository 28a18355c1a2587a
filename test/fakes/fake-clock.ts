import type { Clock } from "../../operator/ports.ts";

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that a test advances. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  readonly #startWallMs: number;
  #nowMs = 0;
  #scheduled = 0;

  constructor(start = new Date("2026-01-01T00:00:00Z")) {
    this.#startWallMs = start.getTime();
  }

  now(): number {
    return this.#nowMs;
  }

  wallClock(): Date {
    return new Date(this.#startWallMs + this.#nowMs);
  }

  schedule(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#scheduled++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds until each timer that is set, soonest first. */
  get pendingDelaysMs(): readonly number[] {
    return [...this.#timers].map(({ atMs }) => atMs - this.#nowMs).toSorted((a, b) => a - b);
  }

  /** Advances by `ms`: every due timer runs in order, at its time, and promises settle before the next one. */
  async advance(ms: number): Promise<void> {
    await this.advanceUntil(() => false, { withinMs: ms });
  }

  /**
   * Advances timer by timer, until `condition` holds, for at most `withinMs`.
   *
   * @returns Whether it held.
   */
  async advanceUntil(condition: () => boolean, { withinMs = 600_000 } = {}): Promise<boolean> {
    const endMs = this.#nowMs + withinMs;
    await this.settle();
    while (!condition()) {
      const next = this.#next(endMs);
      if (next === undefined) {
        this.#nowMs = endMs;
        return condition();
      }
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.callback();
      await this.settle();
    }
    return true;
  }

  /** Runs microtasks and callbacks of the next turns of the event loop, without advancing time. */
  async settle({ turns = 10 } = {}): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  #next(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs > endMs) continue;
      if (
        next === undefined ||
        timer.atMs < next.atMs ||
        (timer.atMs === next.atMs && timer.order < next.order)
      )
        next = timer;
    }
    return next;
  }
}
