import { Pod } from "../../crds/core-kinds.ts";
import type { AdminApi } from "./api.ts";

/**
 * Changes every pod a little. KWOK leaves a pod as it is when the API server could not take its status, such as in a restart
 * of etcd, until the pod changes; a kubelet tries again by itself.
 */
export async function nudgePods(api: AdminApi, namespace: string): Promise<void> {
  const annotations = { "faults.example.dev/nudged": new Date().toISOString() };
  for (const { metadata } of await api.list(Pod, namespace))
    await api.patch(Pod, namespace, metadata.name, { metadata: { annotations } });
}
