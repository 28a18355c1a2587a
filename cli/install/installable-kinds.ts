import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../crds/core-kinds.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";

const prometheusKind = (kind: string, plural: string): ObjectKind => ({
  group: "monitoring.coreos.com",
  version: "v1",
  kind,
  plural,
  namespaced: true,
});

/** Every kind that an installation may contain, except CRDs, in the order of creation. */
export const installableKinds: readonly ObjectKind[] = [
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  NetworkPolicy,
  ConfigMap,
  Secret,
  Service,
  PodDisruptionBudget,
  prometheusKind("ServiceMonitor", "servicemonitors"),
  prometheusKind("PrometheusRule", "prometheusrules"),
  Deployment,
];

/** The kind of an object of an installation. */
export function kindOf({ apiVersion, kind }: Pick<KubernetesObject, "apiVersion" | "kind">): ObjectKind {
  const found = [CustomResourceDefinition, ...installableKinds].find(
    (known) => known.kind === kind && apiVersionOf(known) === apiVersion,
  );
  // A construct was added without its kind, which is needed to find its objects for removal.
  if (found === undefined)
    throw new Error(`Cannot install a ${kind} (${apiVersion}): not among the known kinds`);
  return found;
}

/** `Deployment fairlead-system/fairlead`: an object in messages. */
export function titleOf({ kind, metadata: { name, namespace } }: KubernetesObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
