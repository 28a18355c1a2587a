import { instantMs, type KindClock } from "../../crds/kind-context.ts";

/** The time with which instants of resources are compared. It is never ahead of the API server's time. */
export interface TimeSource {
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** The clock of one run, for the functions of a kind. Its time does not change, so that their results are consistent. */
export class RunClock implements KindClock {
  readonly #nowMs: number;
  #earliestMs = Number.POSITIVE_INFINITY;

  /** @param nowMs The time of the run, milliseconds since 1970. */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  reached(instant: string | Date): boolean {
    const atMs = instantMs(instant);
    if (atMs <= this.#nowMs) return true;
    this.#earliestMs = Math.min(this.#earliestMs, atMs);
    return false;
  }

  /** Milliseconds from `nowMs` until the earliest tested instant that had not passed; undefined: there is none. */
  untilNextMs(nowMs: number): number | undefined {
    return this.#earliestMs === Number.POSITIVE_INFINITY ? undefined : Math.max(0, this.#earliestMs - nowMs);
  }
}
