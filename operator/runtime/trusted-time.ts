import type { TimeSource } from "../engine/run-clock.ts";
import type { Clock } from "../ports.ts";

/** A Date header has no fractions of a second, and a response takes time: a lower estimate within this is ignored. */
const toleranceMs = 2_000;

/**
 * The earliest of three clocks, so that no instant passes early if one jumps ahead: the wall clock, the API server's
 * `Date` header advanced by the monotonic clock, and the wall clock at the start advanced in the same way.
 *
 * It is at most about a second behind the API server.
 */
export class TrustedTime implements TimeSource {
  readonly #clock: Pick<Clock, "now" | "wallClock">;
  /** Wall clock minus monotonic clock. */
  readonly #startOffsetMs: number;
  /** API server minus monotonic clock. */
  #serverOffsetMs = Number.POSITIVE_INFINITY;
  #lastDate: string | undefined;

  constructor(clock: Pick<Clock, "now" | "wallClock">) {
    this.#clock = clock;
    this.#startOffsetMs = clock.wallClock().getTime() - clock.now();
  }

  /** Adds the `Date` header of a response that has just arrived. */
  observe(date: string): void {
    // Of the responses within one second, the first is the best estimate.
    if (date === this.#lastDate) return;
    this.#lastDate = date;
    const offsetMs = Date.parse(date) - this.#clock.now();
    if (Number.isNaN(offsetMs)) return;
    const known = this.#serverOffsetMs;
    const isReplaced =
      known === Number.POSITIVE_INFINITY || offsetMs > known || offsetMs < known - toleranceMs;
    if (isReplaced) this.#serverOffsetMs = offsetMs;
  }

  nowMs(): number {
    const offsetMs = Math.min(this.#startOffsetMs, this.#serverOffsetMs);
    return Math.min(this.#clock.wallClock().getTime(), this.#clock.now() + offsetMs);
  }
}
