import type { Clock, Reconcile } from "../ports.ts";

/** After a run for an edit, the next such run is expected within this time. */
const BUSY_MS = 100;
/** All reports of a commit have started by then. */
const LONGEST_MS = 1_000;
/** Between two reports: a user who edits a few resources needs them soon … */
const LONGEST_STEP_MS = 50;
/** … and no timer is set for less than this; all reports that are due by then go together. */
const SHORTEST_STEP_MS = 5;

export interface ReportPaceOptions {
  readonly clock: Clock;
  /** Puts a key with a due report into its queue. */
  readonly release: (key: string) => void;
}

/**
 * Paces the reports of the resources of one commit. If they were sent all at once, they would delay edits in the
 * meantime (measured: the 95th percentile of the latency of 30 edits a second doubles). So a report follows the end of
 * an edit's run, when our share of the API server has just become free. Without edits, reports follow each other; if
 * edits are too slow or too few, reports are sent at their deadline.
 */
export class ReportPace {
  readonly #options: ReportPaceOptions;
  /** In order: the longest wait is first. */
  readonly #waiting = new Set<string>();
  readonly #released = new Set<string>();
  #lastEditMs = Number.NEGATIVE_INFINITY;
  #lastReportMs = Number.NEGATIVE_INFINITY;
  /** When all waiting reports must be released. */
  #deadlineMs = 0;
  #cancelStep: (() => void) | undefined;

  constructor(options: ReportPaceOptions) {
    this.#options = options;
  }

  /** These keys have a due report. */
  add(keys: Iterable<string>): void {
    for (const key of keys) this.#waiting.add(key);
    this.#deadlineMs = this.#options.clock.now() + LONGEST_MS;
    const isLone = this.#waiting.size === 1;
    const isQuiet = !this.#isBusy && this.#released.size === 0;
    if (isLone || isQuiet) this.#release(1);
    else this.#arm();
  }

  /** The same reconcile, whose runs set the pace. */
  around(reconcile: Reconcile): Reconcile {
    return async (key, options) => {
      // A run for any reason includes the report.
      const isReport = this.#waiting.delete(key) || this.#released.has(key);
      if (isReport) this.#lastReportMs = this.#options.clock.now();
      try {
        return await reconcile(key, options);
      } finally {
        this.#released.delete(key);
        this.#ended(isReport);
      }
    };
  }

  #ended(isReport: boolean): void {
    const nowMs = this.#options.clock.now();
    if (!isReport) this.#lastEditMs = nowMs;
    if (this.#waiting.size === 0) return;
    const isTime = isReport ? !this.#isBusy : nowMs - this.#lastReportMs >= this.#stepMs / 2;
    if (isTime) this.#release(1);
  }

  get #isBusy(): boolean {
    return this.#options.clock.now() - this.#lastEditMs < BUSY_MS;
  }

  /** Time between two reports, so that all have started by the deadline. */
  get #stepMs(): number {
    const leftMs = Math.max(0, this.#deadlineMs - this.#options.clock.now());
    return Math.min(LONGEST_STEP_MS, leftMs / this.#waiting.size);
  }

  #release(count: number): void {
    for (const key of this.#waiting.values().take(count)) {
      this.#waiting.delete(key);
      this.#released.add(key);
      this.#options.release(key);
    }
    this.#lastReportMs = this.#options.clock.now();
    this.#arm();
  }

  /**
   * Sets the timer for the next report. Reports released by edits count, so that the timer releases only the others.
   */
  #arm(): void {
    this.#cancelStep?.();
    this.#cancelStep = undefined;
    if (this.#waiting.size === 0) return;
    const stepMs = Math.max(SHORTEST_STEP_MS, this.#stepMs);
    const count = Math.min(this.#waiting.size, Math.ceil(stepMs / this.#stepMs));
    this.#cancelStep = this.#options.clock.schedule(stepMs, () => this.#release(count));
  }
}
