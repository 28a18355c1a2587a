import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { kindNamed } from "./kube-adapter.ts";

export interface ChildKind {
  readonly kind: ObjectKind;
  /** All fields except apiVersion, kind and metadata. */
  readonly fields: object;
}

const labels = { app: "web" };
export const podTemplate = {
  metadata: { labels },
  spec: { containers: [{ name: "web", image: "example.dev/web:1" }] },
};
const jobTemplate = { spec: { ...podTemplate.spec, restartPolicy: "Never" } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "web" };
const selector = { matchLabels: labels };

/** A minimal object of every kind that a chart may create. */
export const childKinds: readonly ChildKind[] = [
  { kind: kindNamed("configmaps/v1", "ConfigMap"), fields: { data: { a: "1" } } },
  { kind: kindNamed("secrets/v1", "Secret"), fields: { stringData: { a: "1" } } },
  {
    kind: kindNamed("services/v1", "Service"),
    fields: { spec: { selector: labels, ports: [{ port: 80 }] } },
  },
  { kind: kindNamed("serviceaccounts/v1", "ServiceAccount"), fields: {} },
  { kind: kindNamed("pods/v1", "Pod"), fields: { spec: { ...podTemplate.spec } } },
  {
    kind: kindNamed("persistentvolumeclaims/v1", "PersistentVolumeClaim"),
    fields: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  },
  {
    kind: kindNamed("deployments.apps/v1", "Deployment"),
    fields: { spec: { selector, template: podTemplate } },
  },
  {
    kind: kindNamed("statefulsets.apps/v1", "StatefulSet"),
    fields: { spec: { serviceName: "web", selector, template: podTemplate } },
  },
  {
    kind: kindNamed("daemonsets.apps/v1", "DaemonSet"),
    fields: { spec: { selector, template: podTemplate } },
  },
  { kind: kindNamed("jobs.batch/v1", "Job"), fields: { spec: { template: jobTemplate } } },
  {
    kind: kindNamed("cronjobs.batch/v1", "CronJob"),
    fields: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: jobTemplate } } } },
  },
  {
    kind: kindNamed("poddisruptionbudgets.policy/v1", "PodDisruptionBudget"),
    fields: { spec: { selector } },
  },
  {
    kind: kindNamed("horizontalpodautoscalers.autoscaling/v2", "HorizontalPodAutoscaler"),
    fields: {
      spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    },
  },
  {
    kind: kindNamed("ingresses.networking.k8s.io/v1", "Ingress"),
    fields: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
  },
  {
    kind: kindNamed("networkpolicies.networking.k8s.io/v1", "NetworkPolicy"),
    fields: { spec: { podSelector: selector } },
  },
  { kind: kindNamed("roles.rbac.authorization.k8s.io/v1", "Role"), fields: { rules } },
  { kind: kindNamed("rolebindings.rbac.authorization.k8s.io/v1", "RoleBinding"), fields: { roleRef } },
];

/** An object `web` of a child kind. */
export function manifestOf(
  { kind, fields }: ChildKind,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): Manifest {
  // Add a label, as on every child. An apply without any field would add no entry to managedFields.
  const metadata = { name: "web", namespace, labels: { "fairlead.dev/set": "web", ...labels } };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...fields };
}

/** The child kind of this name. */
export function childKind(name: string): ChildKind {
  const found = childKinds.find(({ kind }) => kind.kind === name);
  if (found === undefined) throw new Error(`Cannot find child kind "${name}"`);
  return found;
}
