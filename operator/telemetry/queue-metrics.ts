import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { queueTimeBuckets } from "./buckets.ts";

/** Further priorities have no time series of their own. */
const MOST_PRIORITIES = 25;

/** Current values of a work queue. */
export interface MeasuredQueue {
  measure(): {
    readonly depths: ReadonlyMap<number, number>;
    readonly added: number;
    readonly retried: number;
    readonly unfinishedMs: number;
    readonly longestRunningMs: number;
  };
}

/** The workqueue_* metrics of controller-runtime. Counts are read from the queues when metrics are scraped. */
export class QueueMetrics {
  readonly #queues = new Map<string, MeasuredQueue>();
  readonly #waited: Histogram<"name" | "controller">;
  readonly #worked: Histogram<"name" | "controller">;
  readonly #priorities = new Set<number>();

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ["name", "controller"] as const;
    const buckets = [...queueTimeBuckets];
    this.#waited = new Histogram({
      name: "workqueue_queue_duration_seconds",
      help: "Time that a key waits in the queue before it is processed",
      labelNames,
      buckets,
      registers,
    });
    this.#worked = new Histogram({
      name: "workqueue_work_duration_seconds",
      help: "Time to process a key",
      labelNames,
      buckets,
      registers,
    });
    this.#addDepth(registry);
    this.#addReadCounter(registry, "workqueue_adds_total", "Keys added", "added");
    this.#addReadCounter(registry, "workqueue_retries_total", "Keys added again after a failure", "retried");
    this.#addSeconds(
      registry,
      "workqueue_unfinished_work_seconds",
      "Sum of the ages of running reconciles",
      "unfinishedMs",
    );
    this.#addSeconds(
      registry,
      "workqueue_longest_running_processor_seconds",
      "Age of the oldest running reconcile",
      "longestRunningMs",
    );
  }

  /** Observer of the queue of a controller. */
  observer(controller: string): { taken(waitedMs: number): void; finished(workedMs: number): void } {
    const labels = { name: controller, controller };
    for (const histogram of [this.#waited, this.#worked]) histogram.zero(labels);
    const [waited, worked] = [this.#waited.labels(labels), this.#worked.labels(labels)];
    return {
      taken: (waitedMs) => waited.observe(waitedMs / 1_000),
      finished: (workedMs) => worked.observe(workedMs / 1_000),
    };
  }

  /** Reads the counts of this queue from now on. */
  watch(controller: string, queue: MeasuredQueue): void {
    this.#queues.set(controller, queue);
  }

  #addDepth(registry: Registry): void {
    const queues = this.#queues;
    const priorities = this.#priorities;
    new Gauge({
      name: "workqueue_depth",
      help: "Ready keys by priority",
      labelNames: ["name", "controller", "priority"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [controller, queue] of queues) {
          const { depths } = queue.measure();
          this.set({ name: controller, controller, priority: "0" }, 0);
          for (const [priority, depth] of depths) {
            if (priorities.size < MOST_PRIORITIES) priorities.add(priority);
            const label = priorities.has(priority) ? String(priority) : "other";
            this.inc({ name: controller, controller, priority: label }, depth);
          }
        }
      },
    });
  }

  #addReadCounter(registry: Registry, name: string, help: string, field: "added" | "retried"): void {
    const queues = this.#queues;
    new Counter({
      name,
      help,
      labelNames: ["name", "controller"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [controller, queue] of queues)
          this.inc({ name: controller, controller }, queue.measure()[field]);
      },
    });
  }

  #addSeconds(
    registry: Registry,
    name: string,
    help: string,
    field: "unfinishedMs" | "longestRunningMs",
  ): void {
    const queues = this.#queues;
    new Gauge({
      name,
      help,
      labelNames: ["name", "controller"],
      registers: [registry],
      collect() {
        for (const [controller, queue] of queues) {
          this.set({ name: controller, controller }, queue.measure()[field] / 1_000);
        }
      },
    });
  }
}
