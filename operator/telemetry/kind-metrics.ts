import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { BoundKind } from "../../crds/binding.ts";
import type {
  CounterInput,
  GaugeInput,
  HistogramInput,
  KindMetric,
  MetricLabels,
  MetricSample,
} from "../../crds/kind-metrics.ts";
import { type CustomResource, keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import type { OnStatus } from "../engine/report.ts";
import type { Logger } from "../ports.ts";
import { addedSamples, keyOfLabels, pickLabels } from "./added-samples.ts";

/** One metric of a kind has at most this many series (histograms: sets of buckets): tenants decide how many resources there are. */
const MOST_SERIES = 10_000;

export interface KindMetricsOptions {
  /** The local copies of the resources of a kind. */
  readonly stores: { resources(kind: ObjectKind): { list(): Iterable<LiveObject> } };
  /** Only the leader shows these metrics: two instances would show each resource twice. */
  readonly isLeading: () => boolean;
  readonly log: Pick<Logger, "warn">;
}

type Counted = CounterInput<CustomResource> | HistogramInput<CustomResource>;

/** A counter or a histogram. */
interface SeriesTarget {
  zero(labels: MetricLabels): void;
  count(labels: MetricLabels, value: number): void;
  remove(labels: MetricLabels): void;
}

/** Metrics that kinds declare. */
export class KindMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * From now on the metrics of a kind are shown.
   *
   * @returns The observer of written statuses, from which counters and histograms count. Undefined: the kind has none of them.
   */
  observe(
    kind: Pick<BoundKind, "definition" | "metrics">,
    { stores, isLeading, log }: KindMetricsOptions,
  ): OnStatus | undefined {
    const readers = createReaders(log);
    const counting = kind.metrics.flatMap((metric) => {
      const of = metric.type === "gauge" ? undefined : metric.series?.kind;
      // Now, so that a kind that is not watched is an error at the start.
      const parts = { ...readers, isLeading, store: stores.resources(of ?? kind.definition) };
      if (metric.type !== "gauge") return [this.#count(metric, parts)];
      this.#show(metric, parts);
      return [];
    });
    if (counting.length === 0) return undefined;
    return (before, now) => {
      for (const count of counting) count(before, now);
    };
  }

  #show(metric: GaugeInput<CustomResource>, { store, isLeading, read }: ReadOptions): void {
    new Gauge({
      name: metric.name,
      help: metric.help,
      labelNames: [...metric.labels],
      registers: [this.#registry],
      collect() {
        this.reset();
        if (!isLeading()) return;
        let left = MOST_SERIES;
        for (const resource of store.list()) {
          for (const { labels, value } of read(metric, resource)) {
            if (left-- <= 0) return;
            this.set(pickLabels(metric, labels), value);
          }
        }
      },
    });
  }

  #count(metric: Counted, options: ReadOptions): OnStatus {
    const shown = new Map<string, MetricLabels>();
    const target = this.#target(metric, () => {
      const wanted = seriesOf(metric, options);
      for (const [key, labels] of shown) {
        if (wanted.has(key)) continue;
        shown.delete(key);
        target.remove(labels);
      }
      for (const [key, labels] of wanted) {
        if (shown.has(key)) continue;
        shown.set(key, labels);
        target.zero(labels);
      }
    });
    return (before, now) => {
      const [old, current] = [before, now].map((resource) => options.read(metric, resource));
      for (const { labels, value } of addedSamples(metric, old ?? [], current ?? [])) {
        shown.set(keyOfLabels(labels), labels);
        target.count(labels, value);
      }
    };
  }

  #target(metric: Counted, collect: () => void): SeriesTarget {
    const { name, help, labels: labelNames } = metric;
    const common = { name, help, labelNames: [...labelNames], registers: [this.#registry], collect };
    if (metric.type === "counter") {
      const counter = new Counter(common);
      return {
        zero: (labels) => counter.inc(labels, 0),
        count: (labels, value) => counter.inc(labels, value),
        remove: (labels) => counter.remove(labels),
      };
    }
    const histogram = new Histogram({ ...common, buckets: [...metric.buckets] });
    return {
      zero: (labels) => histogram.zero(labels),
      count: (labels, value) => histogram.observe(labels, value),
      remove: (labels) => histogram.remove(labels),
    };
  }
}

interface ReadOptions extends Pick<KindMetricsOptions, "isLeading"> {
  /** The resources whose samples or series are shown. */
  readonly store: { list(): Iterable<LiveObject> };
  readonly read: (metric: KindMetric, resource: LiveObject) => readonly MetricSample[];
  readonly readSeries: (metric: Counted, resource: LiveObject) => readonly MetricLabels[];
}

/** The series that exist now. */
function seriesOf(
  metric: Counted,
  { store, isLeading, readSeries }: ReadOptions,
): ReadonlyMap<string, MetricLabels> {
  const series = new Map<string, MetricLabels>();
  if (!isLeading()) return series;
  for (const resource of store.list()) {
    for (const labels of readSeries(metric, resource)) {
      if (series.size >= MOST_SERIES) return series;
      const picked = pickLabels(metric, labels);
      series.set(keyOfLabels(picked), picked);
    }
  }
  return series;
}

/** A mistake in a metric of a kind must neither fail a reconcile nor hide all other metrics. It is logged once for each metric. */
function createReaders(log: KindMetricsOptions["log"]): Pick<ReadOptions, "read" | "readSeries"> {
  const failed = new Set<string>();
  const guard = <T>(metric: KindMetric, resource: LiveObject, read: () => readonly T[]): readonly T[] => {
    try {
      return read();
    } catch (error) {
      const about = { metric: metric.name, resource: keyOf(resource), error };
      if (!failed.has(metric.name)) log.warn("Cannot read a metric of a resource", about);
      failed.add(metric.name);
      return [];
    }
  };
  const read: ReadOptions["read"] = (metric, resource) =>
    guard(metric, resource, () =>
      metric.samples(resource as CustomResource).filter(({ value }) => Number.isFinite(value)),
    );
  const readSeries: ReadOptions["readSeries"] = (metric, resource) =>
    metric.series === undefined
      ? read(metric, resource).map(({ labels }) => labels)
      : guard(metric, resource, () => metric.series?.of(resource) ?? []);
  return { read, readSeries };
}
