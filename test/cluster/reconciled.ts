import { expect } from "vitest";
import { type MetricFamily, readPrometheusText } from "../fakes/prometheus-text.ts";
import { eventually } from "./eventually.ts";
import type { RunningOperator } from "./operator.ts";

/** The options of an operator for {@link untilReconciled}. */
export const metricsArgument = "--metrics-bind-address=127.0.0.1:0";

export interface ReconciledOptions {
  /** Whether to poll the repositories of Releases. Default: no. */
  readonly sourceLooks?: number;
}

/**
 * Waits until an operator has reconciled this number of resources, which are Ready and published, has polled the branch, and
 * is idle. Every later write then has another cause.
 */
export async function untilReconciled(
  operator: RunningOperator,
  resources: number,
  { sourceLooks = 0 }: ReconciledOptions = {},
): Promise<void> {
  const listening = await eventually(
    () => operator.log.find(({ message, serves }) => message === "Listening" && serves === "metrics"),
    { what: "it serves metrics" },
  );
  await eventually(
    async () => {
      const response = await fetch(`http://${listening["address"]}/metrics`);
      const families = readPrometheusText(await response.text());
      const sum = (name: string, label = ""): number => sumOf(families.get(name), label);
      const runs = ["success", "requeue_after"].map((result) =>
        sum("controller_runtime_reconcile_total", `result="${result}"`),
      );
      expect(runs.reduce((all, some) => all + some)).toBeGreaterThanOrEqual(resources);
      expect(sum("fairlead_resources", 'ready="True"')).toBe(resources);
      expect(sum("fairlead_publish_looks_total")).toBeGreaterThan(0);
      expect(sum("fairlead_publish_pending")).toBe(0);
      expect(sum("fairlead_release_source_looks_total")).toBeGreaterThanOrEqual(sourceLooks);
      expect(sum("controller_runtime_active_workers") + sum("workqueue_depth")).toBe(0);
      return true;
    },
    { what: `it has reconciled ${resources} resources` },
  );
}

/** Sum of the series that have a label. */
function sumOf(family: MetricFamily | undefined, label: string): number {
  return [...(family?.series ?? [])]
    .filter(([series]) => series.includes(label))
    .reduce((total, [, value]) => total + value, 0);
}
