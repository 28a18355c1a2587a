import type { Clock, Random } from "../ports.ts";
import { Alarm } from "../runtime/alarm.ts";
import { Backoff, type BackoffOptions, jitterInterval } from "../runtime/backoff.ts";

/**
 * Result of a run. `holdMs` is the minimum delay before the next run. Default: 0, and after a failure the next delay of
 * the backoff.
 */
export interface RunOutcome {
  /** `overtaken`: another writer pushed first, which is not a failure. */
  readonly state: "done" | "overtaken" | "failed";
  readonly holdMs?: number;
}

export interface RemoteScheduleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Delays after failures. */
  readonly backoff: BackoffOptions;
  /** Interval between two polls while nothing changes; called each time. Infinity: no polls. */
  readonly intervalMs: () => number;
  /** Time until work other than a poll is due. Infinity, the default: there is none. */
  readonly dueMs?: () => number;
  /** Uses the remote. Never rejects. */
  readonly run: (reason: { readonly isPollDue: boolean }) => Promise<RunOutcome>;
}

/** Delay between the end of a run and one that was requested during it: a burst of requests causes one run. */
const PAUSE_MS = 20;
/** Random jitter of the interval, as a share of it, so that sources that started together are not polled together. */
const JITTER = 0.05;

/** Schedules the use of a remote: one run at a time, when work is due, at intervals, and with backoff while it fails. */
export class RemoteSchedule {
  readonly #options: RemoteScheduleOptions;
  readonly #backoff: Backoff;
  readonly #alarm: Alarm;
  #running: Promise<RunOutcome> | undefined;
  #isAsked = false;
  #isFailing = false;
  #isClosed = false;
  #notBeforeMs = 0;
  #polledAtMs = 0;
  #pollAtMs = Number.POSITIVE_INFINITY;

  constructor(options: RemoteScheduleOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff, options.random);
    this.#alarm = new Alarm(options.clock, () => void this.run());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Call it when work may be due, or due sooner. Each run calls it at its end. */
  wake(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const { clock, dueMs } = this.#options;
    const workAtMs = dueMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + dueMs();
    this.#alarm.setFor(Math.max(Math.min(workAtMs, this.#pollAtMs), this.#notBeforeMs));
  }

  /** Runs at once, without the delay. During a run: once more after it. */
  ask(): void {
    if (this.#running !== undefined) this.#isAsked = true;
    else if (!this.#isClosed) void this.run();
  }

  /** Runs at once, and returns the result. During a run: returns the result of that run. */
  run(): Promise<RunOutcome> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Records that the remote was polled: the next poll is due after an interval. */
  polled(): void {
    this.#polledAtMs = this.#options.clock.now();
    this.#setPoll();
  }

  /** Call it when the interval may have changed. It counts from the last poll. */
  reschedule(): void {
    // A run that was requested during the last one starts soon.
    if (this.#running !== undefined || this.#isAsked || this.#isFailing) return;
    if (this.#pollAtMs === Number.POSITIVE_INFINITY) return;
    this.#setPoll();
    this.#alarm.clear();
    this.wake();
  }

  /** Resolves when nothing runs. */
  get idle(): Promise<unknown> {
    return this.#running ?? Promise.resolve();
  }

  /** Starts no further run. @returns Resolves when nothing runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#alarm.clear();
    await this.idle;
  }

  #setPoll(): void {
    const { intervalMs, random } = this.#options;
    this.#pollAtMs = this.#polledAtMs + jitterInterval(intervalMs(), { share: JITTER, random });
  }

  async #run(): Promise<RunOutcome> {
    const { clock, run, intervalMs } = this.#options;
    const isPollDue = clock.now() >= this.#pollAtMs;
    if (isPollDue) this.#pollAtMs = Number.POSITIVE_INFINITY;
    this.#alarm.clear();
    this.#isAsked = false;
    const outcome = await run({ isPollDue });
    this.#running = undefined;
    this.#isFailing = outcome.state === "failed";
    if (outcome.state === "done") this.#backoff.reset();
    const nowMs = clock.now();
    const { holdMs = this.#isFailing ? this.#backoff.next(nowMs) : 0 } = outcome;
    this.#notBeforeMs = nowMs + holdMs;
    if (this.#isClosed) return outcome;
    if (this.#isAsked) this.#alarm.setFor(nowMs + PAUSE_MS);
    else if (this.#isFailing && Number.isFinite(intervalMs())) this.#alarm.setFor(this.#notBeforeMs);
    this.wake();
    return outcome;
  }
}
