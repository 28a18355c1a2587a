import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { reconcileTimeBuckets } from "./buckets.ts";

/** controller-runtime's; `requeue` never happens here, and dashboards expect it at 0. */
const results = ["success", "error", "requeue", "requeue_after"] as const;

/** Observer of the workers of one controller. */
export interface ReconcileCounts {
  started(): void;
  ended(result: "success" | "error" | "requeue_after", tookMs: number): void;
  failedForGood(): void;
  panicked(): void;
  timedOut(): void;
}

/** The controller_runtime_* metrics, with the names that existing dashboards use. */
export class ReconcileMetrics {
  readonly #total: Counter<"controller" | "result">;
  readonly #errors: Counter<"controller">;
  readonly #terminal: Counter<"controller">;
  readonly #panics: Counter<"controller">;
  readonly #timeouts: Counter<"controller">;
  readonly #time: Histogram<"controller">;
  readonly #workers: Gauge<"controller">;
  readonly #active: Gauge<"controller">;

  constructor(registry: Registry) {
    const registers = [registry];
    const labelNames = ["controller"] as const;
    const counter = (name: string, help: string): Counter<"controller"> =>
      new Counter({ name: `controller_runtime_${name}_total`, help, labelNames, registers });
    const gauge = (name: string, help: string): Gauge<"controller"> =>
      new Gauge({ name: `controller_runtime_${name}`, help, labelNames, registers });
    this.#total = new Counter({
      name: "controller_runtime_reconcile_total",
      help: "Reconciles by result",
      labelNames: ["controller", "result"],
      registers,
    });
    this.#errors = counter("reconcile_errors", "Reconciles that failed");
    this.#terminal = counter("terminal_reconcile_errors", "Reconciles that failed and are not retried");
    this.#panics = counter("reconcile_panics", "Reconciles that threw a value that is not an Error");
    this.#timeouts = counter("reconcile_timeouts", "Reconciles that were aborted after their timeout");
    this.#workers = gauge("max_concurrent_reconciles", "Number of workers");
    this.#active = gauge("active_workers", "Workers that are running a reconcile");
    this.#time = new Histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "Time of a reconcile",
      labelNames,
      buckets: [...reconcileTimeBuckets],
      registers,
    });
  }

  /** The metrics of one controller; every series starts at 0. Labels are looked up here and never again. */
  observer(controller: string, workers: number): ReconcileCounts {
    const labels = { controller };
    const [success, error, , requeueAfter] = results.map((result) => {
      const series = this.#total.labels({ controller, result });
      series.inc(0);
      return series;
    });
    const byResult = { success, error, requeue_after: requeueAfter };
    const errors = zeroed(this.#errors.labels(labels));
    const terminal = zeroed(this.#terminal.labels(labels));
    const panics = zeroed(this.#panics.labels(labels));
    const timeouts = zeroed(this.#timeouts.labels(labels));
    this.#active.set(labels, 0);
    this.#workers.set(labels, workers);
    this.#time.zero(labels);
    const [active, time] = [this.#active.labels(labels), this.#time.labels(labels)];
    return {
      started: () => active.inc(),
      ended: (result, tookMs) => {
        active.dec();
        byResult[result]?.inc();
        if (result === "error") errors.inc();
        time.observe(tookMs / 1_000);
      },
      failedForGood: () => terminal.inc(),
      panicked: () => panics.inc(),
      timedOut: () => timeouts.inc(),
    };
  }
}

function zeroed(series: Counter.Internal): Counter.Internal {
  series.inc(0);
  return series;
}
