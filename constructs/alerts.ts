export interface AlertRulesProps {
  /** Value of the label `job`: the name of the Service. */
  readonly job: string;
  readonly namespace: string;
  readonly publishes: boolean;
  readonly electsLeader: boolean;
}

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: "critical" | "warning" };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/**
 * Reasons of `Ready` that `FairleadReleaseNotReady` ignores: the Release makes progress or is deleted, waits for another Release or
 * for its Pipeline, or continues when the quota of programs allows it. `FairleadSourceLost` reports failures of sources.
 */
const TRANSIENT_REASONS = [
  "Progressing",
  "Suspended",
  "Deleting",
  "DependencyNotReady",
  "PinPending",
  "DigestMismatch",
  "RenderQuota",
  "Source.+",
];

/** Alerts for states in which resources do not converge and that do not end by themselves. */
export function alertRules({
  job,
  namespace,
  publishes,
  electsLeader,
}: AlertRulesProps): readonly AlertRule[] {
  const of = `job="${job}",namespace="${namespace}"`;
  const rules: AlertRule[] = [
    {
      alert: "FairleadDown",
      expr: `absent(up{${of}} == 1)`,
      for: "5m",
      labels: { severity: "critical" },
      annotations: {
        summary: "No instance of Fairlead responds",
        description: `Nothing is reconciled. Check the pods of the Deployment in namespace ${namespace}.`,
      },
    },
    {
      alert: "FairleadReconcilesFail",
      expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total{${of}}[15m])) > 0.05 and sum by (controller) (rate(controller_runtime_reconcile_total{${of},result="success"}[15m])) == 0`,
      for: "30m",
      labels: { severity: "critical" },
      annotations: {
        summary: "Every reconcile of {{ $labels.controller }} fails",
        description:
          "No resource of this kind has been reconciled for half an hour. See the operator's log and events for the reason.",
      },
    },
    {
      alert: "FairleadForbidden",
      expr: `sum by (method) (rate(rest_client_requests_total{${of},code="403"}[15m])) > 0`,
      for: "30m",
      labels: { severity: "warning" },
      annotations: {
        summary: "The API server refuses requests of Fairlead ({{ $labels.method }})",
        description:
          "A right is missing, or an admission policy or quota refuses the request. See the operator's log for details.",
      },
    },
    {
      alert: "FairleadCannotWatch",
      expr: `min by (kind) (fairlead_store_synced{${of},role!="related"}) == 0`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Fairlead cannot watch {{ $labels.kind }}",
        description:
          "A CustomResourceDefinition or a right is missing, or the watch fails. See the operator's log for details.",
      },
    },
    {
      alert: "FairleadQueueStuck",
      expr: `max by (controller) (workqueue_longest_running_processor_seconds{${of}}) > 600`,
      for: "5m",
      labels: { severity: "warning" },
      annotations: {
        summary: "A reconcile of {{ $labels.controller }} has run for more than ten minutes",
        description: "The leader's log names the resource.",
      },
    },
    {
      alert: "FairleadSourceLost",
      expr: `max by (reason) (fairlead_resources{${of},controller="releases.fairlead.dev",ready="False",reason=~"Source.+"}) > 0`,
      for: "10m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Releases cannot get their source ({{ $labels.reason }}): {{ $value }}",
        description:
          "The deployed objects stay in sync, but new commits are not deployed. See the condition Sourced of the Releases for the reason.",
      },
    },
    {
      alert: "FairleadReleaseNotReady",
      expr: `max by (reason) (fairlead_resources{${of},controller="releases.fairlead.dev",ready="False",reason!~"${TRANSIENT_REASONS.join("|")}"}) > 0`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Releases are not ready ({{ $labels.reason }}): {{ $value }}",
        description:
          "A commit or its objects need a change. kubectl get releases -A lists the Releases with the reason and the message.",
      },
    },
  ];
  if (electsLeader) {
    rules.push({
      alert: "FairleadWithoutLeader",
      expr: `sum(leader_election_master_status{${of}}) == 0`,
      for: "5m",
      labels: { severity: "critical" },
      annotations: {
        summary: "No instance of Fairlead leads",
        description: `Nothing is reconciled. Check the Lease in namespace ${namespace}, and whether the instances may write it.`,
      },
    });
  }
  rules.push(...stageAlerts(of));
  if (publishes) rules.push(...publishAlerts(of));
  return rules;
}

/** Prometheus renames the label `namespace` of a metric, because that of the scraped pod has the same name. */
function stageAlerts(of: string): readonly AlertRule[] {
  const stage = "exported_namespace, pipeline, stage";
  const where = "{{ $labels.exported_namespace }}/{{ $labels.pipeline }}";
  return [
    {
      alert: "FairleadStageFailed",
      expr: `max by (${stage}) (fairlead_stage_failed{${of}}) == 1`,
      for: "1h",
      labels: { severity: "warning" },
      annotations: {
        summary: `Stage {{ $labels.stage }} of Pipeline ${where} has failed`,
        description:
          "No Promotion has passed the stage for an hour since it failed. See status.stages of the Pipeline for the reason.",
      },
    },
    {
      alert: "FairleadGateBlocked",
      expr: `max by (${stage}, gate) (fairlead_gate_blocked{${of}}) == 1`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: `Gate {{ $labels.gate }} of stage {{ $labels.stage }} of Pipeline ${where} cannot open`,
        description:
          "Waiting does not help: the Pipeline or the platform has to be changed. See status.stages[].waiting of the Pipeline for the reason.",
      },
    },
  ];
}

function publishAlerts(of: string): readonly AlertRule[] {
  return [
    {
      alert: "FairleadCannotPublish",
      expr: `max(fairlead_publish_oldest_pending_seconds{${of}}) > 1800`,
      for: "5m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Manifests have waited for their commit for half an hour",
        description:
          "The cluster is up to date, but the repository is not. See the condition Published of the resources for the reason.",
      },
    },
    {
      alert: "FairleadSweepHeld",
      expr: `max(fairlead_publish_sweep_held_folders{${of}}) > 0`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Fairlead would remove more than half of the repository, and waits",
        description: "If the resources were deleted on purpose, approve the sweep; otherwise restore them.",
      },
    },
  ];
}
