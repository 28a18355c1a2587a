import { SyncedGate } from "./synced-gate.ts";

/** A request for everything. */
export interface Question {
  /** Empty: the newest there is. */
  readonly resourceVersion: string;
  readonly askedMs: number;
}

/** How new a local copy is, and how new somebody wants it to be. Times are of the monotonic clock. */
export class Freshness {
  readonly #met = new SyncedGate();
  #asOfMs = Number.NEGATIVE_INFINITY;
  #wantedAsOfMs = Number.NEGATIVE_INFINITY;

  /** Whether something is wanted that an answer has still to bring. */
  get isBehind(): boolean {
    return this.#asOfMs < this.#wantedAsOfMs;
  }

  /** What the server knew at that time must be there. @returns Whether everything has to be got anew for it. */
  want(asOfMs: number): boolean {
    const wasBehind = this.isBehind;
    this.#wantedAsOfMs = Math.max(asOfMs, this.#wantedAsOfMs);
    if (this.isBehind) this.#met.close();
    else this.#met.open();
    return this.isBehind && !wasBehind;
  }

  /** An answer is in the copy. Only one for the newest there is (an empty version) tells how new it is. */
  answered({ resourceVersion, askedMs }: Question): void {
    if (resourceVersion !== "") return;
    this.#asOfMs = askedMs;
    if (!this.isBehind) this.#met.open();
  }

  /** Resolves when the copy is as new as is wanted; rejects with the signal's reason. */
  whenMet(signal: AbortSignal): Promise<void> {
    return this.#met.whenOpen(signal);
  }
}
