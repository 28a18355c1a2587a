import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Lease,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from "../../crds/core-kinds.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";

const clusterKind = (group: string, kind: string, plural: string): ObjectKind => ({
  group,
  version: "v1",
  kind,
  plural,
  namespaced: false,
});

export const CustomResourceDefinition = clusterKind(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
);

const prometheusKind = (kind: string, plural: string): ObjectKind => ({
  ...clusterKind("monitoring.coreos.com", kind, plural),
  namespaced: true,
});
const policyKind = (kind: string, plural: string) =>
  clusterKind("admissionregistration.k8s.io", kind, plural);

/** Every kind that an installation may have, CRDs left out, in the order in which a new one is made. */
export const installableKinds: readonly ObjectKind[] = [
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  policyKind("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
  policyKind("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
  NetworkPolicy,
  ConfigMap,
  Service,
  PodDisruptionBudget,
  prometheusKind("ServiceMonitor", "servicemonitors"),
  prometheusKind("PrometheusRule", "prometheusrules"),
  Deployment,
];

/** What the operator itself makes in its namespace. */
export const leaseKind: ObjectKind = Lease;

/** The kind of an object that an installation has. */
export function kindOf({ apiVersion, kind }: Pick<KubernetesObject, "apiVersion" | "kind">): ObjectKind {
  const found = [CustomResourceDefinition, leaseKind, ...installableKinds].find(
    (known) => known.kind === kind && apiVersionOf(known) === apiVersion,
  );
  // A construct was added without its kind: what is installed must be found again to be removed.
  if (found === undefined)
    throw new Error(`Cannot install a ${kind} (${apiVersion}): not among the known kinds`);
  return found;
}

/** `Deployment fairlead-system/fairlead`: an object as people call it. */
export function titleOf({ kind, metadata: { name, namespace } }: KubernetesObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
