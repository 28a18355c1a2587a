import { Pod } from "../../crds/core-kinds.ts";
import type { AdminApi, SeenObject } from "./api.ts";

/**
 * Changes the metadata of every pod that is not ready or terminated yet. If the API server rejects the status of a pod, for example
 * during a restart of etcd, KWOK does not retry until the pod changes. A kubelet retries.
 */
export async function touchPods(api: AdminApi, namespace: string): Promise<void> {
  const annotations = { "faults.example.dev/touched": new Date().toISOString() };
  for (const pod of await api.list(Pod, namespace)) {
    // Do not change other pods, because that would requeue resources of the operator without need.
    if (isThere(pod)) continue;
    await api.patch(Pod, namespace, pod.metadata.name, { metadata: { annotations } });
  }
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
