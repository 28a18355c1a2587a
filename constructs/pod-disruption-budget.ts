import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";

export interface PodDisruptionBudgetProps {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Labels;
}

/** Lets a node drain evict one pod at a time, and unhealthy ones at any time. */
export class PodDisruptionBudget extends ApiObject {
  constructor(scope: Construct, id: string, { name, namespace, selector }: PodDisruptionBudgetProps) {
    super(scope, id, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace },
      spec: {
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: "AlwaysAllow",
        selector: { matchLabels: selector },
      },
    });
  }
}
