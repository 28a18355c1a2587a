import type { ObjectKind } from "./object.ts";

const kindOf = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced = true,
): ObjectKind => Object.freeze({ group, version, kind, plural, namespaced });

export const Namespace = kindOf("", "v1", "Namespace", "namespaces", false);
export const Pod = kindOf("", "v1", "Pod", "pods");
export const Service = kindOf("", "v1", "Service", "services");
export const ConfigMap = kindOf("", "v1", "ConfigMap", "configmaps");
export const Secret = kindOf("", "v1", "Secret", "secrets");
export const ServiceAccount = kindOf("", "v1", "ServiceAccount", "serviceaccounts");
export const PersistentVolumeClaim = kindOf("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims");
export const Deployment = kindOf("apps", "v1", "Deployment", "deployments");
export const ReplicaSet = kindOf("apps", "v1", "ReplicaSet", "replicasets");
export const StatefulSet = kindOf("apps", "v1", "StatefulSet", "statefulsets");
export const DaemonSet = kindOf("apps", "v1", "DaemonSet", "daemonsets");
export const Job = kindOf("batch", "v1", "Job", "jobs");
export const CronJob = kindOf("batch", "v1", "CronJob", "cronjobs");
export const Ingress = kindOf("networking.k8s.io", "v1", "Ingress", "ingresses");
export const NetworkPolicy = kindOf("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies");
export const PodDisruptionBudget = kindOf("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets");
export const HorizontalPodAutoscaler = kindOf(
  "autoscaling",
  "v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
export const Role = kindOf("rbac.authorization.k8s.io", "v1", "Role", "roles");
export const RoleBinding = kindOf("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings");
export const ClusterRole = kindOf("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false);
export const ClusterRoleBinding = kindOf(
  "rbac.authorization.k8s.io",
  "v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  false,
);
export const Lease = kindOf("coordination.k8s.io", "v1", "Lease", "leases");
export const Event = kindOf("events.k8s.io", "v1", "Event", "events");
export const CustomResourceDefinition = kindOf(
  "apiextensions.k8s.io",
  "v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
export const ValidatingAdmissionPolicy = kindOf(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
  false,
);
export const ValidatingAdmissionPolicyBinding = kindOf(
  "admissionregistration.k8s.io",
  "v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
  false,
);
/** In this version since Kubernetes 1.36. */
export const MutatingAdmissionPolicy = kindOf(
  "admissionregistration.k8s.io",
  "v1",
  "MutatingAdmissionPolicy",
  "mutatingadmissionpolicies",
  false,
);
export const MutatingAdmissionPolicyBinding = kindOf(
  "admissionregistration.k8s.io",
  "v1",
  "MutatingAdmissionPolicyBinding",
  "mutatingadmissionpolicybindings",
  false,
);
