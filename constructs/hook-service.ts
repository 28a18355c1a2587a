import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";

export interface HookServiceProps {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Labels;
}

/** The Service for hooks. It may select any of the operator's pods: a standby passes hooks on to the leader. */
export class HookService extends ApiObject {
  constructor(scope: Construct, id: string, { name, namespace, selector }: HookServiceProps) {
    super(scope, id, {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: `${name}-hooks`,
        namespace,
        labels: { "app.kubernetes.io/component": "hooks" },
      },
      spec: { selector, ports: [{ name: "hooks", port: 80, targetPort: "hooks" }] },
    });
  }
}
