import type { Clock, Random } from "../../ports.ts";
import { PollTimer } from "../poll-timer.ts";

export interface PublishScheduleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The time has come to work. */
  readonly begin: () => void;
  /** The time has come to look at the remote. */
  readonly look: () => void;
}

/** Between two looks at the remote when nothing happens. */
export const LOOK_MS = 60_000;

/** When the publisher works next: one timer for the work, one for the look at the remote. */
export class PublishSchedule {
  readonly #options: PublishScheduleOptions;
  #isOpen = false;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = 0;
  #notBeforeMs = 0;
  readonly #poll: PollTimer;

  constructor(options: PublishScheduleOptions) {
    this.#options = options;
    this.#poll = new PollTimer({ ...options, poll: options.look });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nothing is scheduled before. */
  open(): void {
    this.#isOpen = true;
  }

  /** Nothing is scheduled any more. */
  close(): void {
    this.#isOpen = false;
    this.#poll.clear();
    this.clear();
  }

  /** Sees to it that the work begins in `delayMs` at the latest, unless it is held off for longer. */
  wake(delayMs: number): void {
    if (!this.#isOpen) return;
    const { clock, begin } = this.#options;
    const atMs = Math.max(clock.now() + delayMs, this.#notBeforeMs);
    if (this.#cancelWake !== undefined && this.#wakeAtMs <= atMs) return;
    this.clear();
    this.#wakeAtMs = atMs;
    this.#cancelWake = clock.schedule(atMs - clock.now(), begin);
  }

  /** The work began, or should not. */
  clear(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
  }

  /** Delays work by this many milliseconds; 0 cancels the delay. */
  holdOff(delayMs: number): void {
    this.#notBeforeMs = delayMs === 0 ? 0 : this.#options.clock.now() + delayMs;
  }

  /** The remote was looked at: the next look is a minute away. */
  looked(): void {
    if (this.#isOpen) this.#poll.setAfterInterval(LOOK_MS);
  }
}
