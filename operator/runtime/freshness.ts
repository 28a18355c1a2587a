import { SyncedGate } from "./synced-gate.ts";

/** A request for everything. */
export interface Question {
  /** Empty: the newest. Only its response shows how new a copy is. */
  readonly resourceVersion: string;
  readonly askedMs: number;
}

/** How new a local copy is, and how new its readers need it to be. Times are of the monotonic clock. */
export class Freshness {
  readonly #met = new SyncedGate();
  #asOfMs = Number.NEGATIVE_INFINITY;
  /** How new the copy will be after the pending response. */
  #comingMs = Number.NEGATIVE_INFINITY;
  #wantedAsOfMs = Number.NEGATIVE_INFINITY;

  /** Whether a reader waits for a state that no response has shown yet. */
  get isBehind(): boolean {
    return this.#asOfMs < this.#wantedAsOfMs;
  }

  /** Requires the state of the server at that time. @returns Whether everything has to be requested again. */
  want(asOfMs: number): boolean {
    this.#wantedAsOfMs = Math.max(asOfMs, this.#wantedAsOfMs);
    if (this.isBehind) this.#met.close();
    else this.#met.open();
    return this.isBehind && this.#comingMs < this.#wantedAsOfMs;
  }

  /** Everything was requested; or, without a request, nothing is pending. */
  asked(question?: Question): void {
    this.#comingMs = question?.resourceVersion === "" ? question.askedMs : Number.NEGATIVE_INFINITY;
  }

  /** The response is in the copy. */
  answered(): void {
    if (this.#comingMs === Number.NEGATIVE_INFINITY) return;
    this.#asOfMs = this.#comingMs;
    this.asked();
    if (!this.isBehind) this.#met.open();
  }

  /** Resolves when the copy is as new as required; rejects with the signal's reason. */
  whenMet(signal: AbortSignal): Promise<void> {
    return this.#met.whenOpen(signal);
  }
}
