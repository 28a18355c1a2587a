/** How a remote did so far: those that make others wait have places of their own. */
export type Standing = "good" | "new" | "failing";

/** Remotes of one standing that are looked at at the same time: in all, and for one namespace. */
const limits: Readonly<Record<Standing, { readonly all: number; readonly each: number }>> = {
  good: { all: 16, each: 16 },
  new: { all: 24, each: 4 },
  failing: { all: 12, each: 3 },
};

interface Waiting {
  readonly who: string;
  readonly begin: () => void;
}

/**
 * Bounds how many remotes are looked at at once. A remote that hangs takes a place only from those that fail as well, and
 * a namespace with many of them only from itself.
 */
export class LookSlots {
  readonly #taken = new Map<string, number>();
  readonly #waiting: Record<Standing, Waiting[]> = { good: [], new: [], failing: [] };

  /** Waits for a place; the result gives it free. @param who Namespace of one of the Releases. */
  async take(standing: Standing, who: string): Promise<() => void> {
    if (this.#isFree(standing, who)) this.#count(standing, who, 1);
    else await new Promise<void>((begin) => this.#waiting[standing].push({ who, begin }));
    return () => {
      this.#count(standing, who, -1);
      const waiting = this.#waiting[standing];
      const next = waiting.findIndex((each) => this.#isFree(standing, each.who));
      const [first] = next < 0 ? [] : waiting.splice(next, 1);
      if (first === undefined) return;
      this.#count(standing, first.who, 1);
      first.begin();
    };
  }

  #isFree(standing: Standing, who: string): boolean {
    const { all, each } = limits[standing];
    return this.#of(standing) < all && this.#of(`${standing} ${who}`) < each;
  }

  #of(key: string): number {
    return this.#taken.get(key) ?? 0;
  }

  #count(standing: Standing, who: string, by: 1 | -1): void {
    for (const key of [standing, `${standing} ${who}`]) {
      const count = this.#of(key) + by;
      if (count === 0) this.#taken.delete(key);
      else this.#taken.set(key, count);
    }
  }
}
