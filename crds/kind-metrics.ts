import type { CustomResource, LiveObject, ObjectKind } from "./object.ts";

/** A value for each label of a metric. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface MetricSample {
  readonly labels: MetricLabels;
  readonly value: number;
}

interface MetricInput<Resource> {
  /** As Prometheus shows it. The name of a counter ends with `_total`. */
  readonly name: string;
  readonly help: string;
  /** Names of the labels. Their values must be bounded, such as names of objects. */
  readonly labels: readonly string[];
  /** The samples of one resource. Pure, and called for resources that are not valid, too. */
  readonly samples: (resource: Resource) => readonly MetricSample[];
}

/** Shows what resources have now. */
export interface GaugeInput<Resource> extends MetricInput<Resource> {
  readonly type: "gauge";
}

interface CountedInput<Resource> extends MetricInput<Resource> {
  /**
   * The series that exist, by the resources of a kind of the same operator: each of them starts at zero, and goes when no
   * resource names it any more. Default: those in the samples of the kind's own resources.
   */
  readonly series?: {
    readonly kind: ObjectKind;
    readonly of: (resource: LiveObject) => readonly MetricLabels[];
  };
}

/** Counts by how much the samples of a resource grow when its status is written. */
export interface CounterInput<Resource> extends CountedInput<Resource> {
  readonly type: "counter";
}

/** Observes the samples that a resource gets when its status is written. */
export interface HistogramInput<Resource> extends CountedInput<Resource> {
  readonly type: "histogram";
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** A metric that a kind offers. */
export type KindMetric<Resource = CustomResource> =
  | GaugeInput<Resource>
  | CounterInput<Resource>
  | HistogramInput<Resource>;

const metricName = /^[a-z][a-z0-9_]*$/;

/**
 * Checks the metrics of a kind.
 *
 * @throws RangeError if Prometheus could not read one of them, or if two have one name.
 */
export function checkMetrics(kind: string, metrics: readonly KindMetric<never>[]): void {
  for (const [index, metric] of metrics.entries()) {
    const problem = findProblem(metric);
    const isRepeated = metrics.findIndex(({ name }) => name === metric.name) !== index;
    const why = problem ?? (isRepeated ? "is declared twice" : undefined);
    if (why !== undefined) throw new RangeError(`Cannot bind "${kind}": metric "${metric.name}" ${why}`);
  }
}

function findProblem(metric: KindMetric<never>): string | undefined {
  const { type, name, help, labels } = metric;
  if (!metricName.test(name)) return "has a name that is not in lower case with underscores";
  if (help === "") return "has no help text";
  if (name.endsWith("_total") !== (type === "counter"))
    return "has the wrong name: those of counters, and no others, end with _total";
  const label = labels.find((one, index) => !isLabel(one) || labels.indexOf(one) < index);
  if (label !== undefined) return `has the label "${label}", which is not valid or named twice`;
  if (type !== "histogram") return undefined;
  const isAscending = metric.buckets.every((bound, index, all) => bound > (all[index - 1] ?? -Infinity));
  return metric.buckets.length > 0 && isAscending ? undefined : "needs ascending buckets";
}

/** `le` is the label of a histogram's buckets. */
function isLabel(name: string): boolean {
  return metricName.test(name) && name !== "le";
}
