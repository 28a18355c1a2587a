import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { shortTimeBuckets } from "./buckets.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { PublishMetrics } from "./publish-metrics.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import { ReconcileMetrics } from "./reconcile-metrics.ts";

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/** What a reconcile did with an object. */
export type ObjectAction = "applied" | "kept" | "pruned";

/**
 * All metrics of the operator. Import this file only if metrics are on: the library behind it costs memory.
 * Names and buckets are controller-runtime's where it has them; our own begin with `fairlead_`.
 */
export class Metrics {
  readonly queues: QueueMetrics;
  readonly reconciles: ReconcileMetrics;
  readonly publish: PublishMetrics;
  readonly #registry = new Registry();
  readonly #requests: Counter<"code" | "method" | "host">;
  readonly #objects: Readonly<Record<ObjectAction, Counter<"controller">>>;
  readonly #synth: Histogram<"controller">;
  readonly #leading: Gauge<"name">;
  readonly #slowRenewals: Counter<"name">;

  constructor() {
    const registers = [this.#registry];
    this.queues = new QueueMetrics(this.#registry);
    this.reconciles = new ReconcileMetrics(this.#registry);
    this.publish = new PublishMetrics(this.#registry);
    addProcessMetrics(this.#registry);
    this.#requests = new Counter({
      name: "rest_client_requests_total",
      help: "Requests to the API server; code is <error> when no answer came",
      labelNames: ["code", "method", "host"],
      registers,
    });
    const objects = (action: ObjectAction, help: string): Counter<"controller"> =>
      new Counter({ name: `fairlead_objects_${action}_total`, help, labelNames: ["controller"], registers });
    this.#objects = {
      applied: objects("applied", "Objects that were applied"),
      kept: objects("kept", "Objects that were as they should be, and cost no request"),
      pruned: objects("pruned", "Objects that were deleted because no chart wants them"),
    };
    this.#synth = new Histogram({
      name: "fairlead_synth_seconds",
      help: "How long it takes to turn a resource into manifests",
      labelNames: ["controller"],
      buckets: [...shortTimeBuckets],
      registers,
    });
    this.#leading = new Gauge({
      name: "leader_election_master_status",
      help: "1 while this instance leads",
      labelNames: ["name"],
      registers,
    });
    this.#slowRenewals = new Counter({
      name: "leader_election_slowpath_total",
      help: "Renewals that had to read the lease first",
      labelNames: ["name"],
      registers,
    });
  }

  /** One request to the API server; no status when no answer came. */
  requested(method: string, host: string, status: number | undefined): void {
    this.#requests.inc({ code: status === undefined ? "<error>" : String(status), method, host });
  }

  /** What the reconciles of one controller did with objects; the series start at 0. */
  objects(controller: string): (action: ObjectAction, count: number) => void {
    for (const counter of Object.values(this.#objects)) counter.inc({ controller }, 0);
    return (action, count) => this.#objects[action].inc({ controller }, count);
  }

  synthesized(controller: string, tookMs: number): void {
    this.#synth.observe({ controller }, tookMs / 1_000);
  }

  /** Leadership by the Lease of this name; starts at 0. */
  leader(name: string): { leading(isLeading: boolean): void; renewedSlowly(): void } {
    this.#leading.set({ name }, 0);
    this.#slowRenewals.inc({ name }, 0);
    return {
      leading: (isLeading) => this.#leading.set({ name }, isLeading ? 1 : 0),
      renewedSlowly: () => this.#slowRenewals.inc({ name }),
    };
  }

  /** Everything, as Prometheus reads it. */
  async expose(): Promise<Exposition> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
