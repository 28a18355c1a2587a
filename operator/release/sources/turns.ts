/** How a remote did so far: those that make others wait have places of their own. */
export type Standing = "good" | "new" | "failing";

/** Remotes of one standing that are looked at at the same time. */
const places: Readonly<Record<Standing, number>> = { good: 12, new: 8, failing: 4 };

/** Bounds how many remotes are looked at at once: a remote that hangs takes a place from those only that fail as well. */
export class Turns {
  readonly #taken: Record<Standing, number> = { good: 0, new: 0, failing: 0 };
  readonly #waiting: Record<Standing, (() => void)[]> = { good: [], new: [], failing: [] };

  /** Waits for a place; the result gives it free. */
  async take(standing: Standing): Promise<() => void> {
    if (this.#taken[standing] < places[standing]) this.#taken[standing]++;
    else await new Promise<void>((resolve) => this.#waiting[standing].push(resolve));
    return () => {
      const next = this.#waiting[standing].shift();
      if (next === undefined) this.#taken[standing]--;
      else next();
    };
  }
}
