import { Deployment, Job, Pod, ReplicaSet } from "../../crds/core-kinds.ts";
import { controllerOf, type ObjectKind } from "../../crds/object.ts";
import type { AdminApi, SeenObject } from "./api.ts";

/**
 * Changes the metadata of every pod that is not ready or terminated yet. If the API server rejects the status of a pod, for example
 * during a restart of etcd, KWOK does not retry until the pod changes. A kubelet retries.
 */
export async function touchPods(api: AdminApi, namespace: string): Promise<void> {
  // Do not change other pods, because that would requeue resources of the operator without need.
  const waiting = (await api.list(Pod, namespace)).filter((pod) => !isThere(pod));
  await touch(api, Pod, waiting);
}

/**
 * Changes the metadata of every Job that has no pod and no result. Call it only when the Job controller's expectations have expired
 * (client-go's `ExpectationsTimeout`, 5 minutes): if a Job was replaced before the controller observed a pod of the former Job, the
 * controller still expects that pod, and creates none until the time has expired and the Job changes.
 */
export async function touchJobs(api: AdminApi, namespace: string): Promise<void> {
  const pods = await api.list(Pod, namespace);
  const owners = new Set(pods.map((pod) => controllerOf(pod)?.uid));
  const jobs = await api.list(Job, namespace);
  const forgotten = jobs.filter((job) => !owners.has(job.metadata.uid) && !hasResult(job));
  await touch(api, Job, forgotten);
}

/**
 * Lists the ReplicaSets whose Deployment no longer exists. Kubernetes deletes them, with their pods, but sometimes
 * not if a Deployment was deleted and recreated while garbage collection had no watch, for example after a restart of the API server.
 * Probably the next list shows only the new Deployment under the same name, so the deletion of the old one is never observed.
 */
export async function listUncollected(api: AdminApi, namespace: string): Promise<readonly SeenObject[]> {
  const [deployments, sets] = await Promise.all([
    api.list(Deployment, namespace),
    api.list(ReplicaSet, namespace),
  ]);
  const uids = new Set(deployments.map(({ metadata }) => metadata.uid));
  return sets.filter((set) => {
    const owner = controllerOf(set);
    return owner?.kind === "Deployment" && !uids.has(owner.uid);
  });
}

/** Deletes these ReplicaSets, like garbage collection. */
export async function deleteUncollected(api: AdminApi, namespace: string): Promise<void> {
  for (const { metadata } of await listUncollected(api, namespace))
    await api.delete(ReplicaSet, namespace, metadata.name);
}

async function touch(api: AdminApi, kind: ObjectKind, objects: readonly SeenObject[]): Promise<void> {
  const annotations = { "faults.example.dev/touched": new Date().toISOString() };
  for (const { metadata } of objects)
    await api.patch(kind, metadata.namespace ?? "", metadata.name, { metadata: { annotations } });
}

function hasResult(job: SeenObject): boolean {
  const { conditions = [] } = (job["status"] ?? {}) as { readonly conditions?: readonly object[] };
  return conditions.length > 0;
}

function isThere(pod: SeenObject): boolean {
  const { phase, conditions = [] } = (pod["status"] ?? {}) as {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const isLasting =
    (pod["spec"] as { readonly restartPolicy?: string } | undefined)?.restartPolicy === "Always";
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return pod.metadata["deletionTimestamp"] === undefined && (isLasting ? isReady : phase === "Succeeded");
}
