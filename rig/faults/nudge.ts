import { Pod } from "../../crds/core-kinds.ts";
import type { AdminApi, SeenObject } from "./api.ts";

/**
 * Changes every pod a little that has still a way to go. KWOK leaves a pod as it is when the API server could not take its
 * status, such as in a restart of etcd, until the pod changes; a kubelet tries again by itself.
 */
export async function nudgePods(api: AdminApi, namespace: string): Promise<void> {
  const annotations = { "faults.example.dev/nudged": new Date().toISOString() };
  for (const pod of await api.list(Pod, namespace)) {
    // Any other one would wake the operator, whether or not it needed that.
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
