import { setImmediate } from "node:timers/promises";
import type { Clock } from "../ports.ts";

/** So long may renders of all Releases together work before everything else gets its turn. */
const TURN_MS = 6;
/** So much work one render does as fast as it can … */
const BRISK_MS = 250;
/** … and then it rests so many times as long as it worked: a tenth of the time is all that a heavy one takes. */
const REST_FACTOR = 9;

/** Shares the one thread between renders and everything else. One for all renders that go on at a time. */
export class Turns {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The share of one render. */
  begin(): Turn {
    return new Turn(this, this.#clock);
  }

  /** When this turn of the event loop began to be ours. */
  beginOf(nowMs: number): number {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      void this.#endTurn();
    }
    return this.#sinceMs;
  }

  async #endTurn(): Promise<void> {
    await setImmediate();
    this.#sinceMs = undefined;
  }
}

/** One render's work. Ask {@link Turn.isOver} between pieces of it. */
export class Turn {
  readonly #turns: Turns;
  readonly #clock: Clock;
  #resumedMs: number;
  #workedMs = 0;

  constructor(turns: Turns, clock: Clock) {
    this.#turns = turns;
    this.#clock = clock;
    this.#resumedMs = clock.now();
  }

  /** Milliseconds of work so far. */
  get workedMs(): number {
    return this.#workedMs + this.#clock.now() - this.#resumedMs;
  }

  get isOver(): boolean {
    const nowMs = this.#clock.now();
    return nowMs - this.#turns.beginOf(nowMs) > TURN_MS;
  }

  /** Lets everything else have its turn; call it when the turn is over. */
  async next(): Promise<void> {
    const stretchMs = this.#clock.now() - this.#resumedMs;
    this.#workedMs += stretchMs;
    if (this.#workedMs > BRISK_MS) {
      await new Promise<void>((resolve) => this.#clock.schedule(stretchMs * REST_FACTOR, resolve));
    } else {
      await setImmediate();
    }
    this.#resumedMs = this.#clock.now();
  }

  /** Waits for something that is not work of ours. */
  async waitFor<Value>(promise: Promise<Value>): Promise<Value> {
    this.#workedMs += this.#clock.now() - this.#resumedMs;
    try {
      return await promise;
    } finally {
      this.#resumedMs = this.#clock.now();
    }
  }
}
