import {
  atomic,
  dropsZero,
  type FieldShape,
  keyedBy,
  metadata,
  quantities,
  quantity,
  resources,
  set,
  volumeResources,
} from "./field-shape.ts";

const fieldRef: FieldShape = { atomic: true, defaults: { apiVersion: "v1" } };
const resourceFieldRef: FieldShape = {
  atomic: true,
  fields: { divisor: quantity },
  defaults: { divisor: "0" },
};
const keyRef = atomic;

const env = keyedBy(
  "name",
  {
    fields: {
      valueFrom: {
        fields: {
          fieldRef,
          resourceFieldRef,
          configMapKeyRef: keyRef,
          secretKeyRef: keyRef,
          fileKeyRef: keyRef,
        },
      },
    },
  },
  // The value of a variable may refer to variables before it.
  { ordered: true },
);

const httpGet: FieldShape = { defaults: { scheme: "HTTP" } };
const probe: FieldShape = {
  fields: { initialDelaySeconds: dropsZero, httpGet, exec: {}, grpc: {}, tcpSocket: {} },
};

const container: FieldShape = {
  fields: {
    env,
    ports: keyedBy(["containerPort", "protocol"], {
      defaults: { protocol: "TCP" },
      fields: { hostPort: dropsZero },
    }),
    volumeMounts: keyedBy("mountPath", { fields: { readOnly: dropsZero, bindMountOptions: set } }),
    volumeDevices: keyedBy("devicePath"),
    resources,
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    stdin: dropsZero,
    stdinOnce: dropsZero,
    tty: dropsZero,
  },
};

const downwardItems: FieldShape = { each: { fields: { fieldRef, resourceFieldRef } } };
const localObjectReference = atomic;

const volume: FieldShape = {
  fields: {
    emptyDir: { fields: { sizeLimit: quantity } },
    ephemeral: {
      fields: {
        volumeClaimTemplate: {
          fields: {
            metadata,
            spec: { fields: { resources: volumeResources, selector: atomic, dataSource: atomic } },
          },
        },
      },
    },
    downwardAPI: { fields: { items: downwardItems } },
    projected: {
      fields: {
        sources: {
          each: {
            fields: {
              serviceAccountToken: { defaults: { expirationSeconds: 3600 } },
              downwardAPI: { fields: { items: downwardItems } },
            },
          },
        },
      },
    },
    csi: { fields: { nodePublishSecretRef: localObjectReference } },
    persistentVolumeClaim: { fields: { readOnly: dropsZero } },
  },
};

/** `PodSpec`, which every kind with pods embeds. */
export const podSpec: FieldShape = {
  fields: {
    containers: keyedBy("name", container),
    initContainers: keyedBy("name", container, { ordered: true }),
    ephemeralContainers: keyedBy("name", container),
    volumes: keyedBy("name", volume),
    imagePullSecrets: keyedBy("name", localObjectReference),
    evictionResponders: keyedBy("name", atomic),
    hostAliases: keyedBy("ip"),
    topologySpreadConstraints: keyedBy(["topologyKey", "whenUnsatisfiable"], {
      fields: { labelSelector: atomic },
    }),
    resourceClaims: keyedBy("name"),
    schedulingGates: keyedBy("name"),
    nodeSelector: atomic,
    affinity: {
      fields: { nodeAffinity: { fields: { requiredDuringSchedulingIgnoredDuringExecution: atomic } } },
    },
    overhead: quantities,
    resources,
    hostNetwork: dropsZero,
    hostPID: dropsZero,
    hostIPC: dropsZero,
  },
};

/** `PodTemplateSpec`. */
export const podTemplate: FieldShape = { fields: { metadata, spec: podSpec } };
