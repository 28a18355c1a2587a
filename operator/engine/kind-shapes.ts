import { groupOf, type KubernetesObject } from "../../crds/object.ts";
import {
  atomic,
  dropsZero,
  type FieldShape,
  keyedBy,
  metadata,
  quantities,
  quantity,
  set,
  volumeResources,
} from "./field-shape.ts";
import { podSpec, podTemplate } from "./pod-shape.ts";

type Fields = Readonly<Record<string, FieldShape>>;

const conditions = keyedBy("type");
const withSpec = (fields: Fields): Fields => ({ spec: { fields } });

const workloadSpec: Fields = { selector: atomic, template: podTemplate, minReadySeconds: dropsZero };

const claimSpec: FieldShape = {
  fields: { resources: volumeResources, selector: atomic, dataSource: atomic },
};

const statefulSet = withSpec({
  ...workloadSpec,
  volumeClaimTemplates: {
    each: {
      defaults: { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } },
      fields: {
        metadata,
        spec: { ...claimSpec, defaults: { volumeMode: "Filesystem" } },
      },
    },
  },
});

const failureRule: FieldShape = {
  fields: {
    onExitCodes: { fields: { values: set } },
    onPodConditions: { each: { defaults: { status: "True" } } },
  },
};

const jobSpec: FieldShape = {
  fields: {
    selector: atomic,
    template: podTemplate,
    podFailurePolicy: { fields: { rules: { each: failureRule } } },
    scheduling: { fields: { resourceClaims: keyedBy("name") } },
  },
};

const service = withSpec({
  ports: keyedBy(["port", "protocol"], { defaults: { protocol: "TCP" }, fields: { nodePort: dropsZero } }),
  selector: atomic,
  publishNotReadyAddresses: dropsZero,
});

const networkRule: FieldShape = { fields: { ports: { each: { defaults: { protocol: "TCP" } } } } };

const scalingRules: FieldShape = { fields: { tolerance: quantity } };
const metricTarget: FieldShape = { fields: { value: quantity, averageValue: quantity } };
const metricSource: FieldShape = { fields: { target: metricTarget } };

const roleRef: Fields = {
  roleRef: { atomic: true, defaults: { apiGroup: "rbac.authorization.k8s.io" } },
  // The server sets a default group only for users and groups. For service accounts it is empty.
  subjects: { each: { defaults: { apiGroup: "rbac.authorization.k8s.io" } } },
};

const matchResources: FieldShape = {
  atomic: true,
  defaults: { matchPolicy: "Equivalent" },
  fields: { resourceRules: { each: { defaults: { scope: "*" } } } },
};

const admissionPolicy = withSpec({
  matchConditions: keyedBy("name"),
  variables: keyedBy("name", atomic),
  paramKind: atomic,
  matchConstraints: matchResources,
});

const webhooks: Fields = {
  webhooks: keyedBy("name", {
    fields: {
      matchConditions: keyedBy("name"),
      rules: { each: { defaults: { scope: "*" } } },
      namespaceSelector: atomic,
      objectSelector: atomic,
    },
  }),
};

const kinds: Readonly<Record<string, Fields>> = {
  "/Pod": { spec: podSpec },
  "/Service": service,
  "/ServiceAccount": { secrets: keyedBy("name", atomic) },
  "/PersistentVolumeClaim": { spec: claimSpec },
  "/PersistentVolume": withSpec({
    capacity: quantities,
    nodeAffinity: { fields: { required: atomic } },
  }),
  "/ResourceQuota": withSpec({ hard: quantities, scopeSelector: atomic }),
  "/LimitRange": withSpec({
    limits: {
      each: {
        fields: {
          max: quantities,
          min: quantities,
          default: quantities,
          defaultRequest: quantities,
          maxLimitRequestRatio: quantities,
        },
      },
    },
  }),
  "apiextensions.k8s.io/CustomResourceDefinition": withSpec({
    versions: {
      each: { fields: { additionalPrinterColumns: { each: { fields: { priority: dropsZero } } } } },
    },
  }),
  "scheduling.k8s.io/PriorityClass": { globalDefault: dropsZero },
  "apps/Deployment": withSpec({ ...workloadSpec, paused: dropsZero }),
  "apps/ReplicaSet": withSpec(workloadSpec),
  "apps/DaemonSet": withSpec(workloadSpec),
  "apps/StatefulSet": statefulSet,
  "batch/Job": { spec: jobSpec },
  "batch/CronJob": withSpec({ jobTemplate: { fields: { metadata, spec: jobSpec } } }),
  "autoscaling/HorizontalPodAutoscaler": withSpec({
    behavior: { fields: { scaleUp: scalingRules, scaleDown: scalingRules } },
    metrics: {
      each: {
        fields: {
          resource: metricSource,
          containerResource: metricSource,
          pods: metricSource,
          object: metricSource,
          external: metricSource,
        },
      },
    },
  }),
  "policy/PodDisruptionBudget": withSpec({ selector: atomic }),
  "networking.k8s.io/Ingress": withSpec({
    defaultBackend: { fields: { resource: atomic, service: { fields: { port: atomic } } } },
  }),
  "networking.k8s.io/NetworkPolicy": withSpec({
    podSelector: atomic,
    ingress: { each: networkRule },
    egress: { each: networkRule },
  }),
  "rbac.authorization.k8s.io/RoleBinding": roleRef,
  "rbac.authorization.k8s.io/ClusterRoleBinding": roleRef,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": admissionPolicy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": withSpec({
    paramRef: atomic,
    matchResources,
    validationActions: set,
  }),
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
};

/** The shape of a kind whose schema is not known. */
const unknown: FieldShape = { fields: { metadata } };

const shapes: ReadonlyMap<string, FieldShape> = new Map(
  Object.entries(kinds).map(([kind, fields]) => [
    kind,
    { fields: { metadata, status: { fields: { conditions } }, ...fields } } satisfies FieldShape,
  ]),
);

/**
 * The shape of a kind of Kubernetes, according to the API server's schema (listType, listMapKeys, mapType, quantities). Of
 * any other kind, only the metadata is known.
 */
export function builtInShapeOf({
  apiVersion,
  kind,
}: Pick<KubernetesObject, "apiVersion" | "kind">): FieldShape {
  return shapes.get(`${groupOf(apiVersion)}/${kind}`) ?? unknown;
}
