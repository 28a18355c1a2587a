/**
 * The poll of a remote that is due: it answers all requests until it starts. If one pushed ref is the only reason for it,
 * it names that ref.
 */
export class DuePoll {
  #isDue = false;
  #pushed: string | undefined;

  /**
   * Adds a reason for a poll.
   *
   * @param pushed The ref that was reported as pushed. Default: everything must be polled.
   * @returns Whether no poll was due before.
   */
  add(pushed?: string): boolean {
    const isFirst = !this.#isDue;
    this.#pushed = isFirst || pushed === this.#pushed ? pushed : undefined;
    this.#isDue = true;
    return isFirst;
  }

  /** The pushed ref, if the due poll is of one. */
  get pushed(): string | undefined {
    return this.#pushed;
  }

  /** Call it when the poll starts. @returns The pushed ref; undefined: poll everything. */
  take(): string | undefined {
    const pushed = this.#pushed;
    this.#isDue = false;
    this.#pushed = undefined;
    return pushed;
  }
}
