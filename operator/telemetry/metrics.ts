import { Counter, Gauge, Registry } from "prom-client";
import { EventMetrics } from "./event-metrics.ts";
import { FenceMetrics } from "./fence-metrics.ts";
import { HookMetrics } from "./hook-metrics.ts";
import { KindMetrics } from "./kind-metrics.ts";
import { LagMetrics } from "./lag-metrics.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { PublishMetrics } from "./publish-metrics.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import { ReconcileMetrics } from "./reconcile-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { SandboxMetrics } from "./sandbox-metrics.ts";
import { SourceMetrics } from "./source-metrics.ts";
import { StoreMetrics } from "./store-metrics.ts";

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

export interface MetricsOptions {
  /** The operator's. */
  readonly version: string;
  /** Whether there are commits to wait for. */
  readonly hasRepository: boolean;
}

/**
 * All metrics of the operator. Import this file only if metrics are on: the library behind it costs memory.
 * Names and buckets are controller-runtime's where it has them; our own begin with `fairlead_`.
 */
export class Metrics {
  readonly queues: QueueMetrics;
  readonly reconciles: ReconcileMetrics;
  readonly objects: ObjectMetrics;
  readonly lag: LagMetrics;
  readonly requests: RequestMetrics;
  readonly stores: StoreMetrics;
  readonly publish: PublishMetrics;
  readonly events: EventMetrics;
  readonly fences: FenceMetrics;
  readonly hooks: HookMetrics;
  readonly sandbox: SandboxMetrics;
  readonly kinds: KindMetrics;
  readonly #registry = new Registry();
  #sources: SourceMetrics | undefined;

  constructor({ version, hasRepository }: MetricsOptions) {
    this.queues = new QueueMetrics(this.#registry);
    this.reconciles = new ReconcileMetrics(this.#registry);
    this.objects = new ObjectMetrics(this.#registry);
    this.lag = new LagMetrics(this.#registry, { hasRepository });
    this.requests = new RequestMetrics(this.#registry);
    this.stores = new StoreMetrics(this.#registry);
    this.publish = new PublishMetrics(this.#registry);
    this.events = new EventMetrics(this.#registry);
    this.fences = new FenceMetrics(this.#registry);
    this.hooks = new HookMetrics(this.#registry);
    this.sandbox = new SandboxMetrics(this.#registry);
    this.kinds = new KindMetrics(this.#registry);
    addProcessMetrics(this.#registry, { version });
  }

  /** Metrics of sources and their renders, created on first use. */
  get sources(): SourceMetrics {
    this.#sources ??= new SourceMetrics(this.#registry);
    return this.#sources;
  }

  /** Leadership by the Lease of this name; starts at 0. */
  leader(name: string): { leading(isLeading: boolean): void; renewedSlowly(): void } {
    const registers = [this.#registry];
    const leading = new Gauge({
      name: "leader_election_master_status",
      help: "1 while this instance leads",
      labelNames: ["name"],
      registers,
    });
    const slowRenewals = new Counter({
      name: "leader_election_slowpath_total",
      help: "Lease renewals that had to read the Lease first",
      labelNames: ["name"],
      registers,
    });
    leading.set({ name }, 0);
    slowRenewals.inc({ name }, 0);
    return {
      leading: (isLeading) => leading.set({ name }, isLeading ? 1 : 0),
      renewedSlowly: () => slowRenewals.inc({ name }),
    };
  }

  /** Everything, as Prometheus reads it. */
  async expose(): Promise<Exposition> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
