import type { Clock, Random } from "../../ports.ts";
import { Backoff } from "../../runtime/backoff.ts";
import { PollTimer } from "../poll-timer.ts";

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

/** When a remote is polled: one poll at a time, at once on request, otherwise in intervals. */
export class LookSchedule {
  readonly #options: LookScheduleOptions;
  readonly #backoff: Backoff;
  readonly #timer: PollTimer;
  #isLooking = false;
  #isAsked = false;
  #isClosed = false;
  #isFailing = false;
  #lookedAtMs = 0;

  constructor(options: LookScheduleOptions) {
    this.#options = options;
    const backoff = { initialMs: RETRY_MS, factor: 2, capMs: LATEST_RETRY_MS, jitter: 0.2 };
    this.#backoff = new Backoff(backoff, options.random);
    this.#timer = new PollTimer({ ...options, poll: () => void this.#run() });
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
    if (this.#timer.isSet) this.#timer.setAfterInterval(this.#options.intervalMs(), this.#lookedAtMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.clear();
  }

  async #run(): Promise<void> {
    const { clock, look, intervalMs } = this.#options;
    this.#timer.clear();
    this.#isLooking = true;
    this.#isAsked = false;
    this.#lookedAtMs = clock.now();
    this.#isFailing = !(await look());
    this.#isLooking = false;
    if (this.#isClosed) return;
    if (!this.#isFailing) this.#backoff.reset();
    const retryMs = this.#isFailing ? this.#backoff.next(clock.now()) : undefined;
    if (this.#isAsked) this.#timer.set(PAUSE_MS);
    else if (retryMs === undefined) this.#timer.setAfterInterval(intervalMs());
    else if (Number.isFinite(intervalMs())) this.#timer.set(retryMs);
  }
}
