import type { Clock } from "../ports.ts";

/** How long a token that was read is used: Kubernetes rotates the file long before the old one expires. */
const freshForMs = 60_000;

/** A value that is read again once a minute, and once for all who ask at the same time. */
export class CachedValue<Value> {
  readonly #readAnew: () => Promise<Value>;
  readonly #clock: Clock;
  #value: Promise<Value> | undefined;
  #readAtMs = 0;

  constructor(readAnew: () => Promise<Value>, clock: Clock) {
    this.#readAnew = readAnew;
    this.#clock = clock;
  }

  read(): Promise<Value> {
    const nowMs = this.#clock.now();
    if (this.#value !== undefined && nowMs - this.#readAtMs < freshForMs) return this.#value;
    const value = this.#readAnew();
    this.#value = value;
    this.#readAtMs = nowMs;
    // A failure is told to those who wait, and not kept.
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }

  forget(): void {
    this.#value = undefined;
  }
}
