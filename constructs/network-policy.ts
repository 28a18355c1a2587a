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
}

const DNS_PORT = 53;

/**
 * Lets the operator's pods speak to DNS, the API server and git, by ports, because the addresses of neither are known
 * here; and lets others ask for probes and metrics.
 */
export class OperatorNetworkPolicy extends ApiObject {
  constructor(scope: Construct, id: string, props: OperatorNetworkPolicyProps) {
    const { name, namespace, selector, apiServerPorts, repositoryPort, metrics } = props;
    const asked = [...(metrics ? [operatorPorts.metrics] : []), operatorPorts.health];
    const spoken = [...apiServerPorts, ...(repositoryPort === undefined ? [] : [repositoryPort])];
    super(scope, id, {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name, namespace },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: asked.map(tcp) }],
        egress: [
          { ports: [{ protocol: "UDP", port: DNS_PORT }, tcp(DNS_PORT)] },
          { ports: [...new Set(spoken)].map(tcp) },
        ],
      },
    });
  }
}

function tcp(port: number): object {
  return { protocol: "TCP", port };
}
