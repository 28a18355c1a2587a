import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** What came of one push. */
export type PushResult = "landed" | "refused" | "unreachable";

const results: readonly PushResult[] = ["landed", "refused", "unreachable"];

/** The fairlead_publish_* metrics: how what was applied gets into git. */
export class PublishMetrics {
  readonly #pushes: Counter<"result">;
  readonly #pushTime: Histogram;
  readonly #folders: Counter;
  readonly #pending: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#pushes = new Counter({
      name: "fairlead_publish_pushes_total",
      help: "Pushes by what came of them",
      labelNames: ["result"],
      registers,
    });
    this.#pushTime = new Histogram({
      name: "fairlead_publish_push_seconds",
      help: "How long a push takes, with its commit",
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.#folders = new Counter({
      name: "fairlead_publish_folders_total",
      help: "Folders of resources that commits changed",
      registers,
    });
    this.#pending = new Gauge({
      name: "fairlead_publish_pending",
      help: "Resources whose manifests are not on the branch yet",
      registers,
    });
    for (const result of results) this.#pushes.inc({ result }, 0);
  }

  /** One push ended; `folders` is how many resources its commit changed. */
  pushed(result: PushResult, { tookMs, folders }: { tookMs: number; folders: number }): void {
    this.#pushes.inc({ result });
    this.#pushTime.observe(tookMs / 1_000);
    if (result === "landed") this.#folders.inc(folders);
  }

  pending(count: number): void {
    this.#pending.set(count);
  }
}
