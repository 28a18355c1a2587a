import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";
import { operatorPorts } from "./operator-pod.ts";

export interface OperatorNetworkPolicyProps {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Labels;
  readonly apiServerPorts: readonly number[];
  /** TCP port of the git repository; undefined if it is not on the network. */
  readonly repositoryPort: number | undefined;
  /** If metrics are served: namespaces whose pods may read them; if empty, those with the label `metrics: enabled`. */
  readonly metrics: { readonly fromNamespaces: readonly string[] } | undefined;
  /** TCP ports of the git hosts of Releases; none: there are no Releases. */
  readonly gitPorts?: readonly number[];
  /** If hooks are served: namespaces whose pods may send them; if empty, all. */
  readonly hooks?: { readonly fromNamespaces: readonly string[] } | undefined;
}

const DNS_PORT = 53;

/** Label of namespaces whose pods may read metrics, as in Kubebuilder's projects. */
const METRICS_LABEL = { metrics: "enabled" };

/**
 * Lets the operator's pods connect to DNS, the API server and git, by ports, because their addresses are unknown here;
 * lets selected namespaces read metrics; and lets git hosts send hooks. Probes need no rule: the traffic of a pod's own
 * node is always allowed, and no other client needs them.
 */
export class OperatorNetworkPolicy extends ApiObject {
  constructor(scope: Construct, id: string, props: OperatorNetworkPolicyProps) {
    const { name, namespace, selector, apiServerPorts, repositoryPort, metrics, hooks } = props;
    const { gitPorts = [] } = props;
    const spoken = [
      ...apiServerPorts,
      ...(repositoryPort === undefined ? [] : [repositoryPort]),
      ...gitPorts,
    ];
    const itself = { podSelector: { matchLabels: selector } };
    super(scope, id, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name, namespace },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ["Ingress", "Egress"],
        ingress: [
          ...(metrics === undefined ? [] : [metricsRule(metrics)]),
          ...(hooks === undefined ? [] : [hookRule(hooks, itself)]),
        ],
        egress: [
          { ports: [{ protocol: "UDP", port: DNS_PORT }, tcp(DNS_PORT)] },
          { ports: [...new Set(spoken)].map(tcp) },
          // A standby passes hooks on to the leader.
          ...(hooks === undefined ? [] : [{ ports: [tcp(operatorPorts.hooks)], to: [itself] }]),
        ],
      },
    });
  }
}

function metricsRule({ fromNamespaces }: NonNullable<OperatorNetworkPolicyProps["metrics"]>): object {
  const from =
    fromNamespaces.length === 0
      ? { namespaceSelector: { matchLabels: METRICS_LABEL } }
      : podsOf(fromNamespaces);
  return { ports: [tcp(operatorPorts.metrics)], from: [from] };
}

function podsOf(namespaces: readonly string[]): object {
  const key = "kubernetes.io/metadata.name";
  return { namespaceSelector: { matchExpressions: [{ key, operator: "In", values: namespaces }] } };
}

function hookRule(
  { fromNamespaces }: NonNullable<OperatorNetworkPolicyProps["hooks"]>,
  itself: object,
): object {
  const ports = [tcp(operatorPorts.hooks)];
  if (fromNamespaces.length === 0) return { ports };
  return { ports, from: [podsOf(fromNamespaces), itself] };
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
