import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { Labels } from "./child-labels.ts";
import { restrictedContainer, restrictedPod } from "./pod-defaults.ts";

export interface OperatorDeploymentProps {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Whether two instances may run at once; otherwise the old one ends before the new one starts. */
  readonly mayOverlap: boolean;
  readonly serviceAccount: string;
  /** Labels that select the pods; they stay the same for ever. */
  readonly selector: Labels;
  /** Arguments of `fairlead run`. */
  readonly options: readonly string[];
  readonly resources: object;
  /** A Secret that is mounted as the folder of repository credentials. */
  readonly credentialsSecret?: string;
}

/** Where a Secret of repository credentials is mounted. */
export const CREDENTIALS_FOLDER = "/etc/fairlead/repository";

const ports = { metrics: 8080, health: 8081 } as const;
/** Workers finish, the last commit is pushed and the Lease is given back in this time. */
const GRACE_SECONDS = 40;

/** The operator's own Deployment: restricted, read-only but for /tmp, where git keeps its clone. */
export class OperatorDeployment extends ApiObject {
  constructor(scope: Construct, id: string, props: OperatorDeploymentProps) {
    const { name, namespace, replicas, selector, mayOverlap } = props;
    super(scope, id, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: selector },
        ...(!mayOverlap && { strategy: { type: "Recreate" } }),
        template: { metadata: { labels: selector }, spec: podSpecOf(props) },
      },
    });
  }
}

function podSpecOf({
  image,
  serviceAccount,
  options,
  resources,
  credentialsSecret,
}: OperatorDeploymentProps) {
  const secret = credentialsSecret !== undefined;
  return {
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: restrictedPod,
    containers: [
      {
        name: "operator",
        image,
        args: ["run", ...options],
        env: [
          // git and ssh look for their settings at home.
          { name: "HOME", value: "/tmp" },
          // The Lease names its holder as the pod's token does; a host name is cut at 63 characters.
          { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        ports: [
          { name: "metrics", containerPort: ports.metrics },
          { name: "health", containerPort: ports.health },
        ],
        livenessProbe: {
          httpGet: { path: "/healthz", port: "health" },
          initialDelaySeconds: 15,
          periodSeconds: 20,
        },
        readinessProbe: {
          httpGet: { path: "/readyz", port: "health" },
          initialDelaySeconds: 5,
          periodSeconds: 10,
        },
        resources,
        securityContext: restrictedContainer,
        volumeMounts: [
          { name: "tmp", mountPath: "/tmp" },
          ...(secret ? [{ name: "repository", mountPath: CREDENTIALS_FOLDER, readOnly: true }] : []),
        ],
      },
    ],
    volumes: [
      { name: "tmp", emptyDir: {} },
      ...(secret
        ? [{ name: "repository", secret: { secretName: credentialsSecret, defaultMode: 0o440 } }]
        : []),
    ],
  };
}
