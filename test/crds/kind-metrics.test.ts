import { expect, test } from "vitest";
import { checkMetrics, type KindMetric } from "../../crds/kind-metrics.ts";

const gauge: KindMetric = {
  type: "gauge",
  name: "gadgets_running",
  help: "Gadgets that run",
  labels: ["namespace"],
  samples: () => [],
};

test.for<{ metrics: readonly KindMetric[]; why: string }>([
  {
    metrics: [{ ...gauge, name: "Gadgets-Running" }],
    why: "has a name that is not in lower case with underscores",
  },
  { metrics: [{ ...gauge, help: "" }], why: "has no help text" },
  {
    metrics: [{ ...gauge, type: "counter" }],
    why: "has the wrong name: those of counters, and no others, end with _total",
  },
  {
    metrics: [{ ...gauge, name: "gadgets_total" }],
    why: "has the wrong name: those of counters, and no others, end with _total",
  },
  { metrics: [{ ...gauge, labels: ["le"] }], why: 'has the label "le", which is not valid or named twice' },
  {
    metrics: [{ ...gauge, labels: ["a", "a"] }],
    why: 'has the label "a", which is not valid or named twice',
  },
  { metrics: [{ ...gauge, type: "histogram", buckets: [] }], why: "needs ascending buckets" },
  { metrics: [{ ...gauge, type: "histogram", buckets: [2, 1] }], why: "needs ascending buckets" },
  { metrics: [gauge, gauge], why: "is declared twice" },
])("checkMetrics() refuses a metric that $why", ({ metrics, why }) => {
  const [{ name = "" } = {}] = metrics;
  const message = `Cannot bind "Gadget": metric "${name}" ${why}`;
  expect(() => checkMetrics("Gadget", metrics)).toThrow(new RangeError(message));
});

test("checkMetrics() allows one metric of each type", () => {
  const counter: KindMetric = { ...gauge, type: "counter", name: "gadgets_total" };
  const histogram: KindMetric = { ...gauge, type: "histogram", name: "gadgets_seconds", buckets: [1, 10] };
  expect(() => checkMetrics("Gadget", [gauge, counter, histogram])).not.toThrow();
});
