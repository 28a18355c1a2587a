import type { Labels } from "./child-labels.ts";
import { restrictedContainer, restrictedPod } from "./pod-defaults.ts";
import {
  type PublishZoneProps,
  publishSockets,
  publishZoneContainer,
  publishZoneVolumes,
} from "./publish-zone.ts";
import { type SandboxZoneProps, sandboxSockets, sandboxZoneContainer } from "./sandbox-zone.ts";
import {
  HOOKS_PORT,
  type SourceZoneProps,
  sourceSockets,
  sourceZoneContainer,
  sourceZoneVolumes,
} from "./source-zone.ts";

export interface OperatorPodProps {
  readonly image: string;
  readonly imagePullPolicy?: string;
  readonly serviceAccount: string;
  /** Labels that select the pods; they never change. */
  readonly selector: Labels;
  /** Arguments of `fairlead run`. */
  readonly options: readonly string[];
  readonly resources: object;
  /** Whether to serve /metrics. */
  readonly metrics: boolean;
  /** Settings of the publish zone's container; undefined: nothing is published. */
  readonly publish?: Omit<PublishZoneProps, "image" | "imagePullPolicy"> | undefined;
  /** Settings of Releases; undefined: the operator does not reconcile them. */
  readonly releases?:
    | {
        /** Resources of the source zone's container. */
        readonly source: Omit<SourceZoneProps, "image" | "imagePullPolicy">;
        /** Resources of the sandbox zone's container. */
        readonly sandbox: Pick<SandboxZoneProps, "resources" | "logLevel">;
      }
    | undefined;
  /** More fields of the pod's spec, for scheduling and image pulls. */
  readonly placement?: Readonly<Record<string, unknown>>;
}

/** Path at which clients look for the credentials of their pod. */
const TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Container ports by name. */
export const operatorPorts = { metrics: 8080, health: 8081, hooks: HOOKS_PORT } as const;
/** Grace period in which workers finish, the last commit is pushed and the Lease is released. */
const GRACE_SECONDS = 40;
/** The kubelet renews the token long before it expires, and the operator reads it again. */
const TOKEN_SECONDS = 3_600;

/**
 * Share of the container's memory for V8's heap; V8's default would exceed the container's limit
 * (operator/sandbox/plan-memory.ts).
 */
const OPERATOR_HEAP_PERCENT = 35;

/** The spec of the operator's pods: restricted, and read-only except for the volumes of clones and of sockets. */
export function operatorPodSpec(props: OperatorPodProps): object {
  const { image, imagePullPolicy, serviceAccount, options, resources, publish, placement = {} } = props;
  const zones = [
    ...(props.releases === undefined ? [] : [sandboxSockets, sourceSockets]),
    ...(publish === undefined ? [] : [publishSockets]),
  ];
  const mounts = [...ownMounts, ...zones];
  const { sandbox, source } = props.releases ?? {};
  const servesHooks = source?.hookSecret !== undefined;
  return {
    serviceAccountName: serviceAccount,
    // Mounted below instead: read-only, and with a limited lifetime.
    automountServiceAccountToken: false,
    // In a namespace with hundreds of Services there would be hundreds of variables, and none is read.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: restrictedPod,
    ...placement,
    containers: [
      {
        name: "operator",
        image,
        ...(imagePullPolicy !== undefined && { imagePullPolicy }),
        args: ["run", ...options],
        env: [
          // The user has no home folder.
          { name: "HOME", value: "/tmp" },
          { name: "NODE_OPTIONS", value: `--max-old-space-size-percentage=${OPERATOR_HEAP_PERCENT}` },
          // The holder in the Lease is the pod's name as in its token; a host name is cut at 63 characters.
          { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          // Standbys pass hooks on to the leader, which announces this address.
          ...(servesHooks
            ? [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }]
            : []),
        ],
        ports: [
          ...(props.metrics ? [{ name: "metrics", containerPort: operatorPorts.metrics }] : []),
          { name: "health", containerPort: operatorPorts.health },
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
        volumeMounts: mounts.map(({ name, mountPath, readOnly }) => ({
          name,
          mountPath,
          ...(readOnly && { readOnly }),
        })),
      },
      ...(sandbox === undefined ? [] : [sandboxZoneContainer({ image, imagePullPolicy, ...sandbox })]),
      ...(source === undefined ? [] : [sourceZoneContainer({ image, imagePullPolicy, ...source })]),
      ...(publish === undefined ? [] : [publishZoneContainer({ image, imagePullPolicy, ...publish })]),
    ],
    volumes: [
      ...mounts.map(({ name, source }) => ({ name, ...source })),
      ...(source === undefined ? [] : sourceZoneVolumes(source)),
      ...(publish === undefined ? [] : publishZoneVolumes(publish)),
    ],
  };
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  /** The field of the volume that defines its type. */
  readonly source: object;
}

const token = {
  projected: {
    defaultMode: 0o440,
    sources: [
      { serviceAccountToken: { path: "token", expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
    ],
  },
};

/** Volumes that only the operator's container mounts. */
const ownMounts: readonly Mount[] = [
  { name: "tmp", mountPath: "/tmp", readOnly: false, source: { emptyDir: {} } },
  { name: "token", mountPath: TOKEN_FOLDER, readOnly: true, source: token },
];
