import type { Clock } from "../ports.ts";
import { TimeSlice } from "../runtime/time-slice.ts";

/** Time of all renders together per turn of the event loop. */
const SLICE_MS = 6;
/** A render that works for longer than this … */
const FULL_SPEED_MS = 250;
/** … pauses for this multiple of the time that it worked: it gets a tenth of the time. */
const PAUSE_FACTOR = 9;

/** Shares the thread between renders and other work. All renders of a process use one instance. */
export class Turns {
  readonly #clock: Clock;
  readonly #slice: TimeSlice;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slice = new TimeSlice(clock, SLICE_MS);
  }

  /** The share of one render. */
  begin(): Turn {
    return new Turn(this.#slice, this.#clock);
  }
}

/** The turn of one render. Check {@link Turn.isOver} between pieces of work. */
export class Turn {
  readonly #slice: TimeSlice;
  readonly #clock: Clock;
  #resumedMs: number;
  #workedMs = 0;

  constructor(slice: TimeSlice, clock: Clock) {
    this.#slice = slice;
    this.#clock = clock;
    this.#resumedMs = clock.now();
  }

  /** Milliseconds of work so far. */
  get workedMs(): number {
    return this.#workedMs + this.#clock.now() - this.#resumedMs;
  }

  get isOver(): boolean {
    return this.#slice.isOver;
  }

  /** Yields to other work. Call it at the end of the turn. */
  async next(): Promise<void> {
    const stretchMs = this.#clock.now() - this.#resumedMs;
    this.#workedMs += stretchMs;
    if (this.#workedMs > FULL_SPEED_MS) {
      await new Promise<void>((resolve) => this.#clock.schedule(stretchMs * PAUSE_FACTOR, resolve));
    } else {
      await this.#slice.next();
    }
    this.#resumedMs = this.#clock.now();
  }

  /** Waits for an external operation, which does not count as work. */
  async waitFor<Value>(promise: Promise<Value>): Promise<Value> {
    this.#workedMs += this.#clock.now() - this.#resumedMs;
    try {
      return await promise;
    } finally {
      this.#resumedMs = this.#clock.now();
    }
  }
}
