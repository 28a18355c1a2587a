import type { Clock, Random } from "../ports.ts";
import { Alarm } from "../runtime/alarm.ts";
import { Backoff, type BackoffOptions, jitterInterval } from "../runtime/backoff.ts";

/** Result of a run: `holdMs` is how long none follows. Default: 0, and after a failure the next delay of the backoff. */
export interface RunOutcome {
  /** `overtaken`: another writer was faster, which is not a failure. */
  readonly state: "done" | "overtaken" | "failed";
  readonly holdMs?: number;
}

export interface RemoteScheduleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Delays after failures. */
  readonly backoff: BackoffOptions;
  /** Between two polls when nothing happens; asked each time. Infinity: none. */
  readonly intervalMs: () => number;
  /** Time until work other than a poll is due. Infinity, the default: there is none. */
  readonly dueMs?: () => number;
  /** Works with the remote. Never rejects. */
  readonly run: (reason: { readonly isPollDue: boolean }) => Promise<RunOutcome>;
}

/** Between the end of a run and one that was asked for meanwhile: what comes in a burst is one run. */
const PAUSE_MS = 20;
/** Chance makes an interval so much shorter or longer, so that those who started together do not poll together. */
const JITTER = 0.05;

/** When a remote is worked with: one run at a time, when work is due, at intervals, and later and later while it fails. */
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

  /** Work may be due, or due sooner. After each run this is asked anyway. */
  wake(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const { clock, dueMs } = this.#options;
    const workAtMs = dueMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + dueMs();
    this.#alarm.setFor(Math.max(Math.min(workAtMs, this.#pollAtMs), this.#notBeforeMs));
  }

  /** Runs at once, whatever is held off. During a run: once more after it. */
  ask(): void {
    if (this.#running !== undefined) this.#isAsked = true;
    else if (!this.#isClosed) void this.run();
  }

  /** Runs at once, and gives what came of it. During a run: what comes of that. */
  run(): Promise<RunOutcome> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** The remote was polled: the next poll is an interval away. */
  polled(): void {
    this.#polledAtMs = this.#options.clock.now();
    this.#setPoll();
  }

  /** The interval may be another one now. It counts from the last poll. */
  reschedule(): void {
    // What was asked for during the last run comes in a moment.
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

  /** Begins no other run. @returns Resolves when nothing runs. */
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
