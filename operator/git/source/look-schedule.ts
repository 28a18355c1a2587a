import type { Clock, Random } from "../../ports.ts";
import { Backoff, jitterInterval } from "../../runtime/backoff.ts";

export interface LookScheduleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Between two looks when nothing happens; asked each time. Infinity: none. */
  readonly intervalMs: () => number;
  /** Looks at the remote; whether it answered. Never rejects. */
  readonly look: () => Promise<boolean>;
}

/** Between the end of a look and one that was asked for meanwhile: what comes in a burst is one look. */
const PAUSE_MS = 20;
/** A remote that is down is tried again after this, then later and later: a day's interval is no reason to wait a day. */
const RETRY_MS = 2_000;
const LATEST_RETRY_MS = 60_000;

/** When a remote is asked: one look at a time, at once if somebody asks, else in intervals. */
export class LookSchedule {
  readonly #options: LookScheduleOptions;
  readonly #backoff: Backoff;
  #isLooking = false;
  #isAsked = false;
  #isClosed = false;
  #isFailing = false;
  #lookedAtMs = 0;
  #cancel: (() => void) | undefined;

  constructor(options: LookScheduleOptions) {
    this.#options = options;
    const backoff = { initialMs: RETRY_MS, factor: 2, capMs: LATEST_RETRY_MS, jitter: 0.2 };
    this.#backoff = new Backoff(backoff, options.random);
  }

  /** Look at once; during a look: once more after it. */
  ask(): void {
    if (this.#isClosed) return;
    if (this.#isLooking) this.#isAsked = true;
    else void this.#run();
  }

  /** The interval may be another one now. */
  reschedule(): void {
    // What was asked for during the last look comes in a moment.
    if (this.#isLooking || this.#isAsked || this.#isClosed || this.#isFailing) return;
    if (this.#cancel === undefined) return;
    const { clock } = this.#options;
    this.#in(Math.max(0, this.#lookedAtMs + this.#jittered() - clock.now()));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  async #run(): Promise<void> {
    const { clock, look, intervalMs } = this.#options;
    this.#cancel?.();
    this.#isLooking = true;
    this.#isAsked = false;
    this.#lookedAtMs = clock.now();
    this.#isFailing = !(await look());
    this.#isLooking = false;
    if (this.#isClosed) return;
    if (!this.#isFailing) this.#backoff.reset();
    const pauseMs = this.#isFailing ? this.#backoff.next(clock.now()) : this.#jittered();
    if (this.#isAsked) this.#in(PAUSE_MS);
    else if (Number.isFinite(intervalMs())) this.#in(pauseMs);
  }

  #jittered(): number {
    const { random, intervalMs } = this.#options;
    return jitterInterval(intervalMs(), { share: 0.05, random });
  }

  #in(delayMs: number): void {
    this.#cancel?.();
    if (Number.isFinite(delayMs))
      this.#cancel = this.#options.clock.schedule(delayMs, () => void this.#run());
  }
}
