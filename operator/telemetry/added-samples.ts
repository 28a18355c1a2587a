import type { KindMetric, MetricLabels, MetricSample } from "../../crds/kind-metrics.ts";

/** The declared labels alone, in their order; one that is missing is empty. Pure. */
export function pickLabels({ labels }: Pick<KindMetric, "labels">, given: MetricLabels): MetricLabels {
  return Object.fromEntries(labels.map((name) => [name, given[name] ?? ""]));
}

/** Names a series. Pure. */
export function keyOfLabels(labels: MetricLabels): string {
  return JSON.stringify(Object.values(labels));
}

/**
 * The additions of a new status to a metric: for a counter the growth of its samples, for a histogram the samples that the
 * status before did not have. Pure.
 */
export function addedSamples(
  metric: Pick<KindMetric, "type" | "labels">,
  before: readonly MetricSample[],
  now: readonly MetricSample[],
): readonly MetricSample[] {
  const [old, current] = [before, now].map((samples) =>
    samples.map(({ labels, value }) => ({ labels: pickLabels(metric, labels), value })),
  ) as [MetricSample[], MetricSample[]];
  return metric.type === "counter" ? growth(old, current) : newOnes(old, current);
}

function growth(before: readonly MetricSample[], now: readonly MetricSample[]): readonly MetricSample[] {
  const series = new Map(now.map(({ labels }) => [keyOfLabels(labels), labels]));
  return [...series].flatMap(([key, labels]) => {
    const value = totalOf(now, key) - totalOf(before, key);
    return value > 0 ? [{ labels, value }] : [];
  });
}

function totalOf(samples: readonly MetricSample[], key: string): number {
  return samples
    .filter(({ labels }) => keyOfLabels(labels) === key)
    .reduce((total, { value }) => total + value, 0);
}

function newOnes(before: readonly MetricSample[], now: readonly MetricSample[]): readonly MetricSample[] {
  const idOf = ({ labels, value }: MetricSample): string => `${value} ${keyOfLabels(labels)}`;
  const known = before.map(idOf);
  return now.filter((sample) => {
    const index = known.indexOf(idOf(sample));
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}
