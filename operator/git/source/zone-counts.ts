import type { CountsItem } from "./messages.ts";
import type { SourceStats } from "./repository-options.ts";

const nothing: CountsItem = { counts: { polls: 0, fetches: 0, rebuilds: 0, notified: 0 }, hooks: {} };

/** Adds up the counters of a zone over its restarts, each of which begins at 0. */
export class ZoneCounts {
  readonly stats: SourceStats = { polls: 0, fetches: 0, rebuilds: 0, notified: 0 };
  readonly #observeHook: (outcome: string, times: number) => void;
  #last = nothing;

  constructor(observeHook: (outcome: string, times: number) => void = () => undefined) {
    this.#observeHook = observeHook;
  }

  /** Counters that decreased belong to a restarted zone. */
  take(item: CountsItem): void {
    const last = isLater(item, this.#last) ? this.#last : nothing;
    this.#last = item;
    const { stats } = this;
    for (const name of Object.keys(stats) as (keyof SourceStats)[])
      stats[name] += item.counts[name] - last.counts[name];
    for (const [outcome, count] of Object.entries(item.hooks)) {
      const times = count - (last.hooks[outcome as keyof CountsItem["hooks"]] ?? 0);
      if (times > 0) this.#observeHook(outcome, times);
    }
  }
}

function isLater(item: CountsItem, last: CountsItem): boolean {
  const counts = Object.entries(last.counts) as [keyof CountsItem["counts"], number][];
  const hooks = Object.entries(last.hooks) as [keyof CountsItem["hooks"], number][];
  return (
    counts.every(([name, count]) => item.counts[name] >= count) &&
    hooks.every(([name, count]) => (item.hooks[name] ?? 0) >= count)
  );
}
