import { groupOf, type ObjectKind } from "../../crds/object.ts";

/** The cluster-scoped kinds of Kubernetes 1.36, in its built-in groups. */
const clusterScoped: ReadonlySet<string> = new Set([
  "/Namespace",
  "/Node",
  "/PersistentVolume",
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
  "apiextensions.k8s.io/CustomResourceDefinition",
  "apiregistration.k8s.io/APIService",
  "certificates.k8s.io/CertificateSigningRequest",
  "certificates.k8s.io/ClusterTrustBundle",
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "networking.k8s.io/IPAddress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/ServiceCIDR",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/ResourceSlice",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/StorageClass",
  "storage.k8s.io/VolumeAttachment",
  "storage.k8s.io/VolumeAttributesClass",
]);

/** Built-in groups of Kubernetes: all without a dot, and these. */
const ownGroups: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);

/**
 * The kinds that are known without a cluster: those of Kubernetes itself, and the given ones. Undefined for all others.
 *
 * @param kinds Kinds of the operator.
 */
export function offlineKinds(kinds: readonly ObjectKind[]): {
  find(apiVersion: string, kind: string): ObjectKind | undefined;
} {
  return {
    find(apiVersion, kind) {
      const group = groupOf(apiVersion);
      const ours = kinds.find((one) => one.group === group && one.kind === kind);
      if (ours !== undefined) return ours;
      if (group.includes(".") && !ownGroups.has(group)) return undefined;
      const version = apiVersion.slice(group === "" ? 0 : group.length + 1);
      const namespaced = !clusterScoped.has(`${group}/${kind}`);
      return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced };
    },
  };
}
