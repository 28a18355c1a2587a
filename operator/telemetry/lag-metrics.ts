import { Histogram, type Registry } from "prom-client";
import type { Clock } from "../ports.ts";
import { lagBuckets } from "./buckets.ts";

/** Lags of one controller, from an edit to its effects. */
export interface LagCounts {
  /** The watch delivered a new or edited resource. */
  edited(key: string, generation: number): void;
  /** All objects of this generation are applied. */
  live(key: string, generation: number): void;
  /** The commit of this generation is on the branch. */
  committed(key: string, generation: number): void;
  forget(key: string): void;
}

/** The first and the last pending edit of a resource. */
interface Edit {
  readonly first: Moment;
  readonly last: Moment;
}

interface Moment {
  readonly atMs: number;
  readonly generation: number;
}

/** The time from an edit until it is applied, and until it is on the branch. */
export class LagMetrics {
  readonly #toLive: Histogram<"controller">;
  readonly #toCommit: Histogram<"controller"> | undefined;

  constructor(registry: Registry, { hasRepository }: { readonly hasRepository: boolean }) {
    const histogram = (name: string, help: string): Histogram<"controller"> =>
      new Histogram({
        name,
        help,
        labelNames: ["controller"],
        buckets: [...lagBuckets],
        registers: [registry],
      });
    this.#toLive = histogram(
      "fairlead_edit_to_live_seconds",
      "Time from the watch event of an edit to the end of the reconcile that applied all objects",
    );
    if (hasRepository) {
      this.#toCommit = histogram(
        "fairlead_edit_to_commit_seconds",
        "Time from the watch event of an edit to the reconcile that found its commit on the branch",
      );
    }
  }

  /** The metrics of one controller. It stores at most one edit of each resource. */
  observer(controller: string, clock: Clock): LagCounts {
    const targets = [this.#toLive, this.#toCommit].flatMap((histogram) => {
      if (histogram === undefined) return [];
      histogram.zero({ controller });
      return [{ edits: new Map<string, Edit>(), series: histogram.labels({ controller }) }];
    });
    const [toLive, toCommit] = targets;
    const arrive = (target: (typeof targets)[number] | undefined, key: string, generation: number): void => {
      const edit = target?.edits.get(key);
      // Results that were started before the edit do not count for it.
      if (target === undefined || edit === undefined || generation < edit.first.generation) return;
      target.series.observe((clock.now() - edit.first.atMs) / 1_000);
      // Edited again in the meantime: the later edit is still pending.
      if (generation < edit.last.generation) target.edits.set(key, { first: edit.last, last: edit.last });
      else target.edits.delete(key);
    };
    return {
      edited: (key, generation) => {
        const last = { atMs: clock.now(), generation };
        for (const { edits } of targets) edits.set(key, { first: edits.get(key)?.first ?? last, last });
      },
      live: (key, generation) => arrive(toLive, key, generation),
      committed: (key, generation) => arrive(toCommit, key, generation),
      forget: (key) => {
        for (const { edits } of targets) edits.delete(key);
      },
    };
  }
}
