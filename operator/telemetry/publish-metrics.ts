import { Counter, Gauge, type Registry } from "prom-client";

/** What the publisher counts by itself; read when somebody asks for the metrics. */
export interface PublishCounts {
  readonly commits: number;
  readonly pushes: number;
  /** Pushes that the remote would not have. */
  readonly refused: number;
  /** Pushes that found another commit at the head, and were made again on top of it. */
  readonly retried: number;
  readonly lsRemotes: number;
  readonly fetches: number;
  /** Resources whose manifests are not on the branch yet. */
  readonly pending: number;
}

const counters: readonly (readonly [field: keyof PublishCounts, name: string, help: string])[] = [
  ["commits", "fairlead_publish_commits_total", "Commits that landed on the branch"],
  ["pushes", "fairlead_publish_pushes_total", "Pushes that were tried"],
  ["refused", "fairlead_publish_refused_total", "Pushes that the remote would not have"],
  [
    "retried",
    "fairlead_publish_retried_total",
    "Pushes that were made again on top of somebody else's commit",
  ],
  ["lsRemotes", "fairlead_publish_looks_total", "Looks at the head of the remote branch"],
  ["fetches", "fairlead_publish_fetches_total", "Fetches, each after somebody else's commit or at the start"],
];

/** The fairlead_publish_* metrics: how what was applied gets into git. */
export class PublishMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** From now on the counts of this publisher are shown. */
  watch(read: () => PublishCounts): void {
    const registers = [this.#registry];
    for (const [field, name, help] of counters) {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read()[field]);
        },
      });
    }
    new Gauge({
      name: "fairlead_publish_pending",
      help: "Resources whose manifests are not on the branch yet",
      registers,
      collect() {
        this.set(read().pending);
      },
    });
  }
}
