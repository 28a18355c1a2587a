import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";
import { type OperatorPodProps, operatorPodSpec } from "./operator-pod.ts";

export interface OperatorDeploymentProps extends OperatorPodProps {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  /** Whether two instances may run at once; otherwise the old one ends before the new one starts. */
  readonly mayOverlap: boolean;
  /** Additional labels of the pods. */
  readonly podLabels?: Labels;
  readonly podAnnotations?: Labels;
}

/** Number of old ReplicaSets to keep for a rollback. */
const HISTORY_LIMIT = 3;

/**
 * All fields are set explicitly: server-side apply removes only fields that it applied before, and Recreate is invalid
 * together with fields of another strategy.
 */
const overlapping = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

/** The operator's own Deployment. */
export class OperatorDeployment extends ApiObject {
  constructor(scope: Construct, id: string, props: OperatorDeploymentProps) {
    const { name, namespace, replicas, selector, mayOverlap, podLabels = {}, podAnnotations = {} } = props;
    const metadata = {
      labels: { ...podLabels, ...selector },
      ...(Object.keys(podAnnotations).length > 0 && { annotations: podAnnotations }),
    };
    super(scope, id, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas,
        revisionHistoryLimit: HISTORY_LIMIT,
        selector: { matchLabels: selector },
        strategy: mayOverlap ? overlapping : { type: "Recreate" },
        template: { metadata, spec: operatorPodSpec(props) },
      },
    });
  }
}
