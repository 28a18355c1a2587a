export interface DashboardProps {
  readonly name: string;
  readonly namespace: string;
  /** Value of the label `job`: the name of the Service. */
  readonly job: string;
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Pairs of a query, in which `$of` stands for the labels of the installation, and its legend. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

const p99 = (metric: string, by: string): string =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket{$of}[$__rate_interval])))`;
const perSecond = (metric: string, by: string): string =>
  `sum by (${by}) (rate(${metric}{$of}[$__rate_interval]))`;

/** Of the stages of Pipelines. Prometheus renames the label `namespace` of a metric, because the scraped pod has one. */
const stage = "exported_namespace, pipeline, stage";
const stageLegend = "{{exported_namespace}}/{{pipeline}} {{stage}}";
const median = (metric: string, range: string): string =>
  `histogram_quantile(0.5, sum by (le, ${stage}) (increase(${metric}_bucket{$of}[${range}])))`;

const panels: readonly Panel[] = [
  {
    title: "Leader",
    unit: "short",
    queries: [["leader_election_master_status{$of}", "{{pod}}"]],
  },
  {
    title: "Resources",
    unit: "short",
    queries: [["max by (controller, ready) (fairlead_resources{$of})", "{{controller}} ready: {{ready}}"]],
  },
  {
    title: "Time from an edit to live objects, 99th percentile",
    unit: "s",
    queries: [
      [p99("fairlead_edit_to_live_seconds", "controller"), "{{controller}} live"],
      [p99("fairlead_edit_to_commit_seconds", "controller"), "{{controller}} committed"],
    ],
  },
  {
    title: "Reconciles",
    unit: "ops",
    queries: [
      [perSecond("controller_runtime_reconcile_total", "controller, result"), "{{controller}} {{result}}"],
    ],
  },
  {
    title: "Time of a reconcile, 99th percentile",
    unit: "s",
    queries: [[p99("controller_runtime_reconcile_time_seconds", "controller"), "{{controller}}"]],
  },
  {
    title: "Keys in the queues",
    unit: "short",
    queries: [["sum by (controller) (workqueue_depth{$of})", "{{controller}}"]],
  },
  {
    title: "Wait in the queue, 99th percentile",
    unit: "s",
    queries: [[p99("workqueue_queue_duration_seconds", "controller"), "{{controller}}"]],
  },
  {
    title: "Objects",
    unit: "ops",
    queries: [
      ["sum(rate(fairlead_applies_total{$of}[$__rate_interval]))", "applied"],
      ["sum(rate(fairlead_objects_kept_total{$of}[$__rate_interval]))", "unchanged, without a request"],
      ["sum(rate(fairlead_objects_pruned_total{$of}[$__rate_interval]))", "pruned"],
    ],
  },
  {
    title: "Requests to the API server",
    unit: "reqps",
    queries: [[perSecond("rest_client_requests_total", "method, code"), "{{method}} {{code}}"]],
  },
  {
    title: "Repository",
    unit: "short",
    queries: [
      ["max(fairlead_publish_pending{$of})", "waiting for their commit"],
      ["max(fairlead_publish_oldest_pending_seconds{$of})", "seconds that the oldest waits"],
      ["sum(rate(fairlead_publish_commits_total{$of}[$__rate_interval]))", "commits a second"],
      ["sum(rate(fairlead_publish_refused_total{$of}[$__rate_interval]))", "refused pushes a second"],
    ],
  },
  {
    title: "Pipelines: lead time from commit to stage, median of a week",
    unit: "s",
    queries: [[median("fairlead_promotion_lead_time_seconds", "7d"), stageLegend]],
  },
  {
    title: "Pipelines: promotions in a day",
    unit: "short",
    queries: [
      [
        `sum by (${stage}, result) (increase(fairlead_promotions_total{$of}[1d]))`,
        `${stageLegend} {{result}}`,
      ],
    ],
  },
  {
    title: "Pipelines: time to restore, median of 30 days",
    unit: "s",
    queries: [[median("fairlead_stage_restore_seconds", "30d"), stageLegend]],
  },
  {
    title: "Pipelines: failed stages, and candidates that wait",
    unit: "short",
    queries: [
      [`max by (${stage}) (fairlead_stage_failed{$of}) == 1`, `${stageLegend} failed`],
      [`max by (${stage}, gate) (fairlead_candidates_waiting{$of})`, `${stageLegend} waits: {{gate}}`],
      [`max by (${stage}, gate) (fairlead_gate_blocked{$of})`, `${stageLegend} blocked: {{gate}}`],
    ],
  },
  {
    title: "Memory",
    unit: "bytes",
    queries: [["process_resident_memory_bytes{$of}", "{{pod}}"]],
  },
  {
    title: "CPU",
    unit: "short",
    queries: [["rate(process_cpu_seconds_total{$of}[$__rate_interval])", "{{pod}}"]],
  },
];

const [WIDTH, HEIGHT, COLUMNS] = [12, 8, 2];

/** A Grafana dashboard of one installation, as the JSON that Grafana imports. */
export function dashboardOf({ name, namespace, job }: DashboardProps): object {
  const of = `job="${job}",namespace="${namespace}"`;
  const datasource = { type: "prometheus", uid: "$datasource" };
  return {
    title: `Fairlead (${namespace}/${name})`,
    tags: ["fairlead"],
    timezone: "browser",
    schemaVersion: 39,
    time: { from: "now-1h", to: "now" },
    refresh: "30s",
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: panels.map(({ title, unit, queries }, index) => ({
      id: index + 1,
      title,
      type: "timeseries",
      datasource,
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr: expr.replaceAll("$of", of),
        legendFormat,
      })),
    })),
  };
}
