import type { Clock } from "../ports.ts";

/** Maximum age of a cached token: Kubernetes rotates the file long before the old token expires. */
const freshForMs = 60_000;

/** A value that is read again once a minute, and once for all concurrent callers. */
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
    // A failure is reported to the waiting callers, and not cached.
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }

  forget(): void {
    this.#value = undefined;
  }
}
