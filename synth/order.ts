import { groupOf } from "../crds/object.ts";
import type { Manifest } from "./manifest.ts";

/** Objects of one stage are applied concurrently, stages one after the other. */
export type Stage = 0 | 1 | 2 | 3;

const stages: ReadonlyMap<string, Stage> = new Map([
  ...["/Namespace", "apiextensions.k8s.io/CustomResourceDefinition"].map((kind) => [kind, 0] as const),
  ...[
    "/ConfigMap",
    "/LimitRange",
    "/PersistentVolume",
    "/PersistentVolumeClaim",
    "/ResourceQuota",
    "/Secret",
    "/ServiceAccount",
    "networking.k8s.io/NetworkPolicy",
    "rbac.authorization.k8s.io/ClusterRole",
    "rbac.authorization.k8s.io/ClusterRoleBinding",
    "rbac.authorization.k8s.io/Role",
    "rbac.authorization.k8s.io/RoleBinding",
    "scheduling.k8s.io/PriorityClass",
    "storage.k8s.io/StorageClass",
  ].map((kind) => [kind, 1] as const),
  ...[
    "/Pod",
    "/ReplicationController",
    "apps/DaemonSet",
    "apps/Deployment",
    "apps/ReplicaSet",
    "apps/StatefulSet",
    "batch/CronJob",
    "batch/Job",
  ].map((kind) => [kind, 2] as const),
]);

/** The stage of an object: namespaces and CRDs, RBAC and configuration, workloads, the rest. */
export function stageOf({ apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">): Stage {
  return stages.get(`${groupOf(apiVersion)}/${kind}`) ?? 3;
}

/** Manifests in apply order; within a stage they keep the order of the chart. */
export function sortForApply(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests.toSorted((a, b) => stageOf(a) - stageOf(b));
}
