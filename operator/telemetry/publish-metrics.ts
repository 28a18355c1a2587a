import { Counter, Gauge, type Registry } from "prom-client";
import type { PublishFailure } from "../ports.ts";

/** Counts of the publisher; read when metrics are scraped. */
export interface PublishCounts {
  /** Commits that are on the branch. */
  readonly pushed: number;
  readonly pushes: number;
  /** Pushes that the remote refused. */
  readonly refused: number;
  /** Pushes that found another commit at the head, and were repeated on top of it. */
  readonly retried: number;
  readonly lsRemotes: number;
  readonly fetches: number;
  readonly rebuilds: number;
  /** Resources whose manifests are not on the branch yet. */
  readonly pending: number;
  /** Age of the oldest pending resource. */
  readonly oldestPendingMs: number;
  /** Why nothing can be published at the moment. */
  readonly failing: PublishFailure | undefined;
  /** Folders of a sweep that waits for approval. */
  readonly heldFolders: number;
}

type CountedField = "pushed" | "pushes" | "refused" | "retried" | "lsRemotes" | "fetches" | "rebuilds";

const counters: readonly (readonly [field: CountedField, name: string, help: string])[] = [
  ["pushed", "fairlead_publish_commits_total", "Commits that were pushed to the branch"],
  ["pushes", "fairlead_publish_pushes_total", "Push attempts"],
  ["refused", "fairlead_publish_refused_total", "Pushes that the remote refused"],
  [
    "retried",
    "fairlead_publish_retried_total",
    "Pushes that were repeated on top of a commit of another writer",
  ],
  ["lsRemotes", "fairlead_publish_looks_total", "Polls of the head of the remote branch"],
  [
    "fetches",
    "fairlead_publish_fetches_total",
    "Fetches, each after a commit of another writer or at the start",
  ],
  ["rebuilds", "fairlead_publish_rebuilds_total", "Times that the clone was recreated"],
];

const failures: readonly PublishFailure[] = ["PushRefused", "RepositoryUnreachable", "RepositoryOwned"];

/** The fairlead_publish_* metrics: how applied manifests are published to git. */
export class PublishMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Reads the counts of this publisher from now on. */
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
    const gauge = (name: string, help: string, value: (counts: PublishCounts) => number): void => {
      new Gauge({
        name: `fairlead_publish_${name}`,
        help,
        registers,
        collect() {
          this.set(value(read()));
        },
      });
    };
    gauge("pending", "Resources whose manifests are not on the branch yet", ({ pending }) => pending);
    gauge(
      "oldest_pending_seconds",
      "Age of the oldest pending resource",
      ({ oldestPendingMs }) => oldestPendingMs / 1_000,
    );
    gauge(
      "sweep_held_folders",
      "Folders of a sweep that waits for approval",
      ({ heldFolders }) => heldFolders,
    );
    new Gauge({
      name: "fairlead_publish_failing",
      help: "1 while publishing fails for this reason",
      labelNames: ["reason"],
      registers,
      collect() {
        const { failing } = read();
        for (const reason of failures) this.set({ reason }, Number(reason === failing));
      },
    });
  }
}
