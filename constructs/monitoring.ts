import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { alertRules } from "./alerts.ts";
import type { Labels } from "./child-labels.ts";
import { dashboardOf } from "./dashboard.ts";
import { operatorPorts } from "./operator-pod.ts";

interface Extra {
  readonly enabled: boolean;
  readonly labels: Labels;
}

export interface MonitoringProps {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Labels;
  /** Whether the operator publishes to a repository. */
  readonly publishes: boolean;
  readonly electsLeader: boolean;
  readonly serviceMonitor: Extra & { readonly interval: string };
  readonly prometheusRule: Extra;
  readonly dashboard: Extra;
}

/** A Service for the metrics and, if enabled, the objects for Prometheus and Grafana. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { name, namespace, selector, serviceMonitor, prometheusRule, dashboard } = props;
    const component = { "app.kubernetes.io/component": "metrics" };
    const metrics = `${name}-metrics`;
    new ApiObject(this, "service", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: metrics, namespace, labels: component },
      spec: {
        // Without a cluster IP, the name resolves to every pod: each has its own metrics.
        clusterIP: "None",
        selector,
        ports: [{ name: "metrics", port: operatorPorts.metrics, targetPort: "metrics" }],
      },
    });
    if (serviceMonitor.enabled) {
      new ApiObject(this, "service-monitor", {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "ServiceMonitor",
        metadata: { name: metrics, namespace, labels: serviceMonitor.labels },
        spec: {
          selector: { matchLabels: { ...selector, ...component } },
          endpoints: [{ port: "metrics", interval: serviceMonitor.interval }],
        },
      });
    }
    if (prometheusRule.enabled) {
      new ApiObject(this, "prometheus-rule", {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PrometheusRule",
        metadata: { name, namespace, labels: prometheusRule.labels },
        spec: { groups: [{ name: "fairlead", rules: alertRules({ ...props, job: metrics }) }] },
      });
    }
    if (dashboard.enabled) {
      const board = dashboardOf({ name, namespace, job: metrics });
      new ApiObject(this, "dashboard", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${name}-dashboard`, namespace, labels: dashboard.labels },
        data: { "fairlead.json": `${JSON.stringify(board, undefined, 2)}\n` },
      });
    }
  }
}
