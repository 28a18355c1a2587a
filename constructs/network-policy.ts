import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";
import { operatorPorts } from "./operator-pod.ts";

export interface OperatorNetworkPolicyProps {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Labels;
  readonly apiServerPorts: readonly number[];
  /** TCP port of the git repository; undefined where there is none on the network. */
  readonly repositoryPort: number | undefined;
  readonly metrics: boolean;
  /** TCP ports of the git hosts that Releases come from; none: there are no Releases. */
  readonly gitPorts?: readonly number[];
  /** Hooks are served, to pods of these namespaces, or to all if none is named. */
  readonly hooks?: { readonly fromNamespaces: readonly string[] } | undefined;
}

const DNS_PORT = 53;

/**
 * Lets the operator's pods speak to DNS, the API server and git, by ports, because the addresses of neither are known
 * here; and lets others ask for probes and metrics, and tell of pushes.
 */
export class OperatorNetworkPolicy extends ApiObject {
  constructor(scope: Construct, id: string, props: OperatorNetworkPolicyProps) {
    const { name, namespace, selector, apiServerPorts, repositoryPort, metrics, hooks } = props;
    const { gitPorts = [] } = props;
    const asked = [...(metrics ? [operatorPorts.metrics] : []), operatorPorts.health];
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
        ingress: [{ ports: asked.map(tcp) }, ...(hooks === undefined ? [] : [hookRule(hooks, itself)])],
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

function hookRule(
  { fromNamespaces }: NonNullable<OperatorNetworkPolicyProps["hooks"]>,
  itself: object,
): object {
  const ports = [tcp(operatorPorts.hooks)];
  if (fromNamespaces.length === 0) return { ports };
  const key = "kubernetes.io/metadata.name";
  const others = {
    namespaceSelector: { matchExpressions: [{ key, operator: "In", values: fromNamespaces }] },
  };
  return { ports, from: [others, itself] };
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
