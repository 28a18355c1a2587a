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

/** Alerts for states in which somebody's resources do not get what they say, and which do not mend themselves. */
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
        summary: "No instance of Fairlead answers",
        description: `Nothing reconciles. Look at the pods of the Deployment in namespace ${namespace}.`,
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
          "Nothing of this kind has been reconciled for half an hour. The operator's log and events say why.",
      },
    },
    {
      alert: "FairleadForbidden",
      expr: `sum by (method) (rate(rest_client_requests_total{${of},code="403"}[15m])) > 0`,
      for: "30m",
      labels: { severity: "warning" },
      annotations: {
        summary: "The API server refuses what Fairlead asks ({{ $labels.method }})",
        description:
          "A right is missing, or an admission policy or quota refuses. The operator's log names what and why.",
      },
    },
    {
      alert: "FairleadCannotWatch",
      expr: `min by (kind) (fairlead_store_synced{${of},role!="related"}) == 0`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Fairlead does not see {{ $labels.kind }}",
        description:
          "A CustomResourceDefinition or a right is missing, or the watch fails. The operator's log says which.",
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
          "What is deployed stays and is kept, but no commit arrives. The condition Sourced of the Releases says why.",
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
        description: `Nothing reconciles. Look at the Lease in namespace ${namespace}, and whether the instances may write it.`,
      },
    });
  }
  if (publishes) rules.push(...publishAlerts(of));
  return rules;
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
          "The cluster goes on; the repository stays behind. The condition Published of the resources says why.",
      },
    },
    {
      alert: "FairleadSweepHeld",
      expr: `max(fairlead_publish_sweep_held_folders{${of}}) > 0`,
      for: "15m",
      labels: { severity: "warning" },
      annotations: {
        summary: "Fairlead would remove more than half of the repository, and waits",
        description:
          "Either the resources are gone on purpose, then approve it, or somebody should get them back.",
      },
    },
  ];
}
