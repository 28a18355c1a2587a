import type { Clock, Random } from "../../ports.ts";
import { jitterInterval } from "../../runtime/backoff.ts";

export interface PublishScheduleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The time has come to work. */
  readonly begin: () => void;
  /** The time has come to look at the remote. */
  readonly look: () => void;
}

/** Between two looks at the remote when nothing happens; chance makes it 5 % shorter or longer. */
export const LOOK_MS = 60_000;

/** When the publisher works next: one timer for the work, one for the look at the remote. */
export class PublishSchedule {
  readonly #options: PublishScheduleOptions;
  #isOpen = false;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = 0;
  #notBeforeMs = 0;
  #cancelLook: (() => void) | undefined;

  constructor(options: PublishScheduleOptions) {
    this.#options = options;
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
    this.#cancelLook?.();
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

  /** No work for so long; 0 takes it back. */
  holdOff(delayMs: number): void {
    this.#notBeforeMs = delayMs === 0 ? 0 : this.#options.clock.now() + delayMs;
  }

  /** The remote was looked at: the next look is a minute away. */
  looked(): void {
    this.#cancelLook?.();
    if (!this.#isOpen) return;
    const { clock, random, look } = this.#options;
    this.#cancelLook = clock.schedule(jitterInterval(LOOK_MS, { share: 0.05, random }), look);
  }
}
